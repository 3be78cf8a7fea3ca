export const WITHOUT_CONFIG: readonly string[] = ['adopt', 'init', 'verify'];

let config: string | undefined;

/** Sets the `--config` that `commandLine` adds. Undefined: none, because the configuration is in the current folder. */
export function useConfig(file: string | undefined): void {
  config = file;
}

/** A command line to show to the user, with the running command's `--config`, unless `command` takes none or `args` has one. */
export function commandLine(command: string, args: readonly string[] = []): string {
  const isIncluded = WITHOUT_CONFIG.includes(command) || args.some(arg => arg.startsWith('--config'));
  const all = config === undefined || isIncluded ? args : [...args, '--config', config];
  return ['npx precise-ttl', command, quoted(all)].join(' ').trimEnd();
}

export function quoted(args: readonly string[]): string {
  return args.map(arg => (/^[\w.:,=/+-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", `'\\''`)}'`)).join(' ');
}
