import { readFileSync } from 'node:fs';
import { EXIT, telling, unknown, wrong } from './command.ts';
import { COMMAND_GROUPS, COMMAND_NAMES, COMMANDS, type CommandName, INSTEAD } from './commands.ts';
import { printData, printError, printHelp } from './print.ts';

/**
 * Sets the exit status of this process.
 * @param manifest URL of this package's package.json
 * @param args without the program: `process.argv.slice(2)`
 */
export async function main(manifest: URL, args: readonly string[]): Promise<void> {
  const [name, ...rest] = args;
  if (isCommand(name)) return (await COMMANDS[name].load()).execute(rest);
  await telling(undefined, async () => {
    switch (name) {
      case '--help':
        printHelp(generalHelp());
        return 0;
      case '--version':
        printData((JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version);
        return 0;
      case undefined:
        printError(generalHelp(), 'help');
        return EXIT.usage;
      default:
        throw INSTEAD.has(name)
          ? wrong('command', `one of ${COMMAND_NAMES.join(', ')}`, name, INSTEAD.get(name) ?? '')
          : unknown('command', name, COMMAND_NAMES);
    }
  });
}

export function generalHelp(): string {
  const width = Math.max(...COMMAND_NAMES.map(({ length }) => length));
  const groups = COMMAND_GROUPS.map(group => {
    const names = COMMAND_NAMES.filter(name => COMMANDS[name].group === group);
    return [group, ...names.map(name => `  ${name.padEnd(width)}  ${COMMANDS[name].summary}`)].join('\n');
  });
  return `npx precise-ttl COMMAND [flags]

DynamoDB items that are gone within a second or two of their expiry.

${groups.join('\n\n')}

COMMAND --help says what a command does, its flags and its exit status. --version prints the version. Most commands
read precise-ttl.config.ts, .js, .mjs, .cjs or .json in this folder, or the file that --config names. The documents that helps and
messages name, docs/..., are in the package: node_modules/precise-ttl/docs.

Exit status of every command: 0 it was done, or all is well; 1 not so; 2 a wrong command line or configuration; 3 a service did not
answer; 130 or 143 interrupted.`;
}

function isCommand(name: string | undefined): name is CommandName {
  return name !== undefined && Object.hasOwn(COMMANDS, name);
}
