/**
 * `npm run docs`: makes the generated parts of the documents from the code. The parts are the passages of DOC_TABLES, and the pages of the
 * commands, the state machines and the behaviours.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { print } from '../cli/print.ts';
import { DOC_TABLES, withTables } from './docs/doc-tables.ts';
import { behavioursPage, commandsPage, diagramPage } from './docs/pages.ts';

for (const file of Object.keys(DOC_TABLES) as (keyof typeof DOC_TABLES)[]) {
  write(file, withTables(file, readFileSync(pathOf(file), 'utf8')));
}
write('docs/reference/commands.md', await commandsPage());
write('docs/contributing/state-machine.md', diagramPage());
write('docs/contributing/behaviours.md', behavioursPage());

function pathOf(file: string): URL {
  return new URL(`../${file}`, import.meta.url);
}

function write(file: string, text: string): void {
  writeFileSync(pathOf(file), text);
  print(file);
}
