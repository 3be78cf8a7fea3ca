export const WITHOUT_CONFIG: readonly string[] = ['adopt', 'init', 'verify'];

let config: string | undefined;

/** Sets the `--config` of the command lines in later messages. Undefined: the configuration is in the current folder. */
export function useConfig(file: string | undefined): void {
  config = file;
}

/** A command line for a user, with the `--config` of the running command. */
export function commandLine(command: string, args: readonly string[] = []): string {
  const isIncluded = WITHOUT_CONFIG.includes(command) || args.some(arg => arg.startsWith('--config'));
  const all = config === undefined || isIncluded ? args : [...args, '--config', config];
  return ['npx precise-ttl', command, quoted(all)].join(' ').trimEnd();
}

export function quoted(args: readonly string[]): string {
  return args.map(arg => (/^[\w.:,=/+-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", `'\\''`)}'`)).join(' ');
}
