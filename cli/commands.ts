import type { AnyCommand } from './command.ts';

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
    () => import('./init.ts'),
  ),
  cost: command('set up', 'say what a month costs, for your own numbers', () => import('./cost.ts')),
  start: command(
    'set up',
    'see it work on this machine: sessions expire, and each one is deleted in time',
    () => import('./start.ts'),
  ),
  local: command(
    'set up',
    'run the whole deployment on this machine, for AWS clients to talk to',
    () => import('./local.ts'),
  ),
  synth: command(
    'set up',
    'write the Terraform of the configuration to cdktf.out',
    () => import('./synth.ts'),
  ),
  deploy: command(
    'set up',
    'provision what the configuration says, show what would change, or remove it',
    () => import('./deploy.ts'),
  ),
  adopt: command(
    'adopt',
    'make a table that exists ready to be swept: its index, native TTL, and its configuration',
    () => import('./adopt.ts'),
  ),
  backfill: command(
    'adopt',
    'write the window into the items that are in a table already',
    () => import('./backfill.ts'),
  ),
  status: command(
    'watch',
    'show how the sweeps stand, what they came to in the last days, or both on a page in the browser',
    () => import('./status.ts'),
  ),
  doctor: command(
    'watch',
    'look whether a table and its sweep are as they should be, and say what mends them',
    () => import('./doctor.ts'),
  ),
  pause: command('act', 'stop the sweeps for a while, without a deployment', () => import('./pause.ts')),
  resume: command('act', 'let them go on', () => import('./resume.ts')),
  replay: command('act', 'sweep a span of time again', () => import('./replay.ts')),
  verify: command(
    'prove',
    'prove it in your own account: a small deployment, ten minutes, experiments, and all is taken away again',
    () => import('./verify.ts'),
  ),
} satisfies Readonly<Record<string, ListedCommand>>;

export type CommandName = keyof typeof COMMANDS;

export const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[];

/** Former commands, and what to do instead. */
export const INSTEAD: ReadonlyMap<string, string> = new Map([
  ['dashboard', 'Write status --page.'],
  ['destroy', 'Write deploy --destroy.'],
  ['diff', 'Write deploy --diff.'],
  ['history', 'Write status --history.'],
  ['limit', 'Set maxDeletesPerSecond in the configuration.'],
  ['restore', 'See docs/archive-and-events.md.'],
]);
