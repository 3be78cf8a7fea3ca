import { type Invocation, invocation } from './invocation.ts';

/** The command line once more, to be pasted into a shell. */
export function commandLine(command: string, args: readonly string[]): string {
  return invocation(command, quoted(args));
}

/** The commands that take `--config`. */
export const WITH_CONFIG: readonly string[] = [
  'backfill',
  'cost',
  'deploy',
  'destroy',
  'diff',
  'doctor',
  'history',
  'limit',
  'local',
  'model',
  'outputs',
  'pause',
  'replay',
  'restore',
  'resume',
  'start',
  'status',
  'synth',
];

/**
 * How a command names others that are to read the same configuration as itself.
 * @param config its flag `--config`
 */
export function invocationWith(config: string | undefined): Invocation {
  if (config === undefined) return invocation;
  const flag = quoted(['--config', config]);
  return (command, args = '') =>
    invocation(command, WITH_CONFIG.includes(command) ? `${args} ${flag}`.trim() : args);
}

function quoted(args: readonly string[]): string {
  return args.map(arg => (/^[\w.:=/+-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", `'\\''`)}'`)).join(' ');
}
