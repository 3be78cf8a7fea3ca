/** `npm run docs:tables`: writes what the documents say of props, counts and metrics. */
import { readFileSync, writeFileSync } from 'node:fs';
import { DOC_TABLES, withTables } from './doc-tables.ts';
import { runCommand } from './run-command.ts';

const help = (flags: string) => `npm run docs:tables

Writes the tables of props, counts and metrics, as the code has them now, into ${Object.keys(DOC_TABLES).join(', ')}.

${flags}`;

async function run(): Promise<number> {
  for (const file of Object.keys(DOC_TABLES) as (keyof typeof DOC_TABLES)[]) {
    const path = new URL(`../${file}`, import.meta.url);
    writeFileSync(path, withTables(file, readFileSync(path, 'utf8')));
    console.log(file);
  }
  return 0;
}

await runCommand({ flags: {}, help, run });
