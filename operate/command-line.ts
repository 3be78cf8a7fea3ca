/** The commands that take `--config`. */
export const WITH_CONFIG: readonly string[] = [
  'audit',
  'backfill',
  'cost',
  'dashboard',
  'deploy',
  'destroy',
  'diff',
  'doctor',
  'history',
  'iam',
  'limit',
  'local',
  'model',
  'pause',
  'proof',
  'replay',
  'restore',
  'resume',
  'start',
  'status',
  'synth',
];

/** The file of `--config` of the command that runs; undefined: it reads the one in this folder. */
let config: string | undefined;

/** From now on commands that are named read this configuration, too. @param file undefined: the one in the folder */
export function useConfig(file: string | undefined): void {
  config = file;
}

/**
 * A command as it is typed, in the package and in the checkout: `npx precise-ttl replay --yes`. It reads the same configuration as the
 * command that runs.
 *
 * @param args a text as it is, or arguments that are quoted for a shell
 */
export function commandLine(command: string, args: string | readonly string[] = ''): string {
  const own = typeof args === 'string' ? args : quoted(args);
  const flag =
    config === undefined || !WITH_CONFIG.includes(command) || own.includes('--config ')
      ? ''
      : quoted(['--config', config]);
  return ['npx precise-ttl', command, own, flag].filter(Boolean).join(' ');
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
