import { invocation } from './invocation.ts';

/** The command line once more, to be pasted into a shell. */
export function commandLine(command: string, args: readonly string[]): string {
  const quoted = args.map(arg => (/^[\w.:=/+-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", `'\\''`)}'`));
  return invocation(command, quoted.join(' '));
}
