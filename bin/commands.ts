import { readFileSync } from 'node:fs';
import { type AnyCommand, EXIT, telling, unknown } from '../cli/command.ts';
import { print, printError } from '../cli/print.ts';

export const COMMAND_GROUPS = ['set up', 'adopt', 'watch', 'act', 'prove'] as const;

interface ListedCommand {
  readonly group: (typeof COMMAND_GROUPS)[number];
  readonly summary: string;
  readonly load: () => Promise<AnyCommand>;
}

const command = (
  group: ListedCommand['group'],
  summary: string,
  load: () => Promise<{ readonly command: AnyCommand }>,
): ListedCommand => ({ group, summary, load: async () => (await load()).command });

export const COMMANDS = {
  init: command(
    'set up',
    'write a configuration: three questions, or --table NAME',
    () => import('../cli/init.ts'),
  ),
  cost: command('set up', 'say what a month costs, for your own numbers', () => import('../cli/cost.ts')),
  start: command(
    'set up',
    'see it work on this machine: sessions expire, and each one is deleted in time',
    () => import('../bench/demo/start.ts'),
  ),
  local: command(
    'set up',
    'run the whole deployment on this machine, for AWS clients to talk to',
    () => import('../cli/local.ts'),
  ),
  synth: command(
    'set up',
    'write the Terraform of the configuration to cdktf.out',
    () => import('../cli/synth.ts'),
  ),
  deploy: command(
    'set up',
    'provision what the configuration says, show what would change, or remove it',
    () => import('../cli/deploy.ts'),
  ),
  adopt: command(
    'adopt',
    'make a table that exists ready to be swept: its index, native TTL, and its configuration',
    () => import('../cli/adopt.ts'),
  ),
  backfill: command(
    'adopt',
    'write the window into the items that are in a table already',
    () => import('../cli/backfill.ts'),
  ),
  status: command(
    'watch',
    'show how the sweeps stand, what they came to in the last days, or both on a page in the browser',
    () => import('../cli/status.ts'),
  ),
  doctor: command(
    'watch',
    'look whether a table and its sweep are as they should be, and say what mends them',
    () => import('../cli/doctor.ts'),
  ),
  pause: command('act', 'stop the sweeps for a while, without a deployment', () => import('../cli/pause.ts')),
  resume: command('act', 'let them go on', async () => ({
    command: (await import('../cli/pause.ts')).resume,
  })),
  replay: command('act', 'sweep a span of time again', () => import('../cli/replay.ts')),
  verify: command(
    'prove',
    'prove it in your own account: a small deployment, a quarter of an hour of experiments, and all is taken away again',
    () => import('../cli/verify.ts'),
  ),
} satisfies Readonly<Record<string, ListedCommand>>;

export type CommandName = keyof typeof COMMANDS;

export const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[];

/**
 * Runs a command, and sets the exit status of this process.
 * @param manifest URL of this package's package.json
 * @param args without the program: `process.argv.slice(2)`
 */
export async function main(manifest: URL, args: readonly string[]): Promise<void> {
  const [name, ...rest] = args;
  if (isCommand(name)) return (await COMMANDS[name].load()).execute(rest);
  await telling(undefined, async () => {
    switch (name) {
      case '--help':
        print(generalHelp(), 'help');
        return 0;
      case '--version':
        print((JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version, 'data');
        return 0;
      case undefined:
        printError(generalHelp(), 'help');
        return EXIT.usage;
      default:
        throw unknown('command', name, COMMAND_NAMES);
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
