export const WITHOUT_CONFIG: readonly string[] = ['adopt', 'init', 'verify'];

let config: string | undefined;

/** Sets the `--config` of the command lines in later messages. Undefined: the configuration is in the current folder. */
export function useConfig(file: string | undefined): void {
  config = file;
}

/**
 * A command line for a user, with the `--config` of the running command.
 * @param args a text that is used unchanged, or arguments to be quoted
 */
export function commandLine(command: string, args: string | readonly string[] = ''): string {
  const own = typeof args === 'string' ? args : quoted(args);
  const flag =
    config === undefined || WITHOUT_CONFIG.includes(command) || own.includes('--config ')
      ? ''
      : quoted(['--config', config]);
  return ['npx precise-ttl', command, own, flag].filter(Boolean).join(' ');
}

export function quoted(args: readonly string[]): string {
  return args.map(arg => (/^[\w.:,=/+-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", `'\\''`)}'`)).join(' ');
}
