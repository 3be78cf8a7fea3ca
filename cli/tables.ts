/** `npm run docs:tables`: writes what the documents say of props, counts, metrics and commands. */
import { readFileSync, writeFileSync } from 'node:fs';
import { commandsPage } from './commands-page.ts';
import { configSchema } from './config-schema.ts';
import { DOC_TABLES, withTables } from './doc-tables.ts';
import { print } from './print.ts';
import { runCommand } from './run-command.ts';

const help = (flags: string) => `npm run docs:tables

Writes, as the code has them now, the tables of props, counts and metrics into ${Object.keys(DOC_TABLES).join(', ')}, the helps of
the commands into docs/commands.md, and the schema of the configuration into schema.json.

${flags}`;

async function run(): Promise<number> {
  for (const file of Object.keys(DOC_TABLES) as (keyof typeof DOC_TABLES)[]) {
    write(file, withTables(file, readFileSync(pathOf(file), 'utf8')));
  }
  write('docs/commands.md', await commandsPage());
  write('schema.json', `${JSON.stringify(configSchema(), null, 2)}\n`);
  return 0;
}

const pathOf = (file: string) => new URL(`../${file}`, import.meta.url);

function write(file: string, text: string): void {
  writeFileSync(pathOf(file), text);
  print(file);
}

await runCommand({ flags: {}, help, run });
