/** The commands that take `--config`. */
export const WITH_CONFIG: readonly string[] = [
  'backfill',
  'cost',
  'deploy',
  'doctor',
  'local',
  'pause',
  'replay',
  'resume',
  'start',
  'status',
  'synth',
];

/** The value of `--config` of the running command; undefined: it reads the configuration in this folder. */
let config: string | undefined;

/** Sets the configuration for all commands that messages suggest from now on. @param file undefined: the one in this folder */
export function useConfig(file: string | undefined): void {
  config = file;
}

/**
 * A command line that the user can type, in the package or in the checkout: `npx precise-ttl replay --yes`. It names the
 * configuration of the running command.
 *
 * @param args a text that is used unchanged, or arguments to be quoted for a shell
 */
export function commandLine(command: string, args: string | readonly string[] = ''): string {
  const own = typeof args === 'string' ? args : quoted(args);
  const flag =
    config === undefined || !WITH_CONFIG.includes(command) || own.includes('--config ')
      ? ''
      : quoted(['--config', config]);
  return ['npx precise-ttl', command, own, flag].filter(Boolean).join(' ');
}

/** Quotes arguments for a shell. */
export function quoted(args: readonly string[]): string {
  return args.map(arg => (/^[\w.:,=/+-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", `'\\''`)}'`)).join(' ');
}

/** The argument of the AWS CLI for native TTL: the short form if the attribute's name contains no special characters. */
export function timeToLive(isOn: boolean, attribute: string): string {
  const isPlain = /^[\w.:-]+$/.test(attribute);
  return quoted([
    isPlain
      ? `Enabled=${isOn},AttributeName=${attribute}`
      : JSON.stringify({ Enabled: isOn, AttributeName: attribute }),
  ]);
}
