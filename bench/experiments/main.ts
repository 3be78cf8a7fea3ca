/** `npm run bench NAME`: runs an experiment of this folder. `npm run bench -- --help` prints the help of all experiments. */
import { readdirSync } from 'node:fs';
import { type AnyCommand, EXIT } from '../../cli/command.ts';
import { print, printError } from '../../cli/print.ts';

const names = readdirSync(import.meta.dirname)
  .flatMap(file => (file.endsWith('.ts') && file !== 'main.ts' ? [file.slice(0, -'.ts'.length)] : []))
  .sort();
const [name = '', ...args] = process.argv.slice(2);

async function load(one: string): Promise<AnyCommand> {
  const { default: experiment } = (await import(`./${one}.ts`)) as { readonly default: AnyCommand };
  return experiment;
}

if (names.includes(name)) {
  await (await load(name)).execute(args);
} else if (name === '--help') {
  for (const one of names) print(`${(await load(one)).help()}\n`);
} else {
  printError(
    `npm run bench NAME: expected one of ${names.join(', ')}, got ${name || 'none'}; npm run bench NAME -- --help says what each does`,
  );
  process.exitCode = EXIT.usage;
}
