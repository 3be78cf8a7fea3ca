import { type Invocation, invocation } from './invocation.ts';

/** The command line once more, to be pasted into a shell. */
export function commandLine(command: string, args: readonly string[]): string {
  return invocation(command, quoted(args));
}

/** The commands that take `--config`. */
export const WITH_CONFIG: readonly string[] = [
  'audit',
  'backfill',
  'cost',
  'deploy',
  'destroy',
  'diff',
  'doctor',
  'history',
  'iam',
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

/** Arguments as a shell takes them. */
export function quoted(args: readonly string[]): string {
  return args.map(arg => (/^[\w.:,=/+-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", `'\\''`)}'`)).join(' ');
}

/** The AWS CLI takes this for native TTL. It is the short form, where the name holds nothing that means something else there. */
export function timeToLive(isOn: boolean, attribute: string): string {
  const isPlain = /^[\w.:-]+$/.test(attribute);
  return quoted([
    isPlain
      ? `Enabled=${isOn},AttributeName=${attribute}`
      : JSON.stringify({ Enabled: isOn, AttributeName: attribute }),
  ]);
}
