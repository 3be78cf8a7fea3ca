/** `npm run bench NAME`: runs one of the benchmarks of this folder. */
import { readdirSync } from 'node:fs';
import { printError } from '../cli/print.ts';

const names = readdirSync(import.meta.dirname)
  .flatMap(file => (file.endsWith('.ts') && file !== 'main.ts' ? [file.slice(0, -'.ts'.length)] : []))
  .sort();
const [name = ''] = process.argv.splice(2, 1);

if (names.includes(name)) {
  await import(`./${name}.ts`);
} else {
  printError(
    `npm run bench NAME: expected one of ${names.join(', ')}, got ${name || 'none'}; npm run bench NAME -- --help says what each does`,
  );
  process.exitCode = 2;
}
