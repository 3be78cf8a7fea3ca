/** `npm run docs`: generates the documents' parts that describe the code. */
import { readFileSync, writeFileSync } from 'node:fs';
import { print } from '../cli/print.ts';
import { runCommand } from '../cli/run-command.ts';
import { DOC_TABLES, withTables } from './docs/doc-tables.ts';
import { commandsPage, diagramPage } from './docs/pages.ts';

const help = (flags: string) => `npm run docs

Writes, as the code has them now, the tables of props, counts and metrics into ${Object.keys(DOC_TABLES).join(', ')}, the flags of
the commands into docs/reference/commands.md, and the diagrams of the state machines into docs/contributing/state-machine.md.

${flags}`;

async function run(): Promise<number> {
  for (const file of Object.keys(DOC_TABLES) as (keyof typeof DOC_TABLES)[]) {
    write(file, withTables(file, readFileSync(pathOf(file), 'utf8')));
  }
  write('docs/reference/commands.md', await commandsPage());
  write('docs/contributing/state-machine.md', diagramPage());
  return 0;
}

const pathOf = (file: string) => new URL(`../${file}`, import.meta.url);

function write(file: string, text: string): void {
  writeFileSync(pathOf(file), text);
  print(file);
}

await runCommand({ flags: {}, help, run });
