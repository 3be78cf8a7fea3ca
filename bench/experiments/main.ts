/** `npm run bench NAME`: runs an experiment of this folder. */
import { readdirSync } from 'node:fs';
import { type AnyCommand, EXIT } from '../../cli/command.ts';
import { printError } from '../../cli/print.ts';

const names = readdirSync(import.meta.dirname)
  .flatMap(file => (file.endsWith('.ts') && file !== 'main.ts' ? [file.slice(0, -'.ts'.length)] : []))
  .sort();
const [name = '', ...args] = process.argv.slice(2);

if (names.includes(name)) {
  const { default: experiment } = (await import(`./${name}.ts`)) as { readonly default: AnyCommand };
  await experiment.execute(args);
} else {
  printError(
    `npm run bench NAME: expected one of ${names.join(', ')}, got ${name || 'none'}; npm run bench NAME -- --help says what each does`,
  );
  process.exitCode = EXIT.usage;
}
