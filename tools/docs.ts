/** `npm run docs`: writes the passages that DOC_TABLES generates into the documents. */
import { readFileSync, writeFileSync } from 'node:fs';
import { print } from '../cli/print.ts';
import { DOC_TABLES, withTables } from './docs/doc-tables.ts';

for (const file of Object.keys(DOC_TABLES) as (keyof typeof DOC_TABLES)[]) {
  const path = new URL(`../${file}`, import.meta.url);
  writeFileSync(path, await withTables(file, readFileSync(path, 'utf8')));
  print(file);
}
