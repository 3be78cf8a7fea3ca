import { isLocal, type Service } from './aws/endpoint.ts';
import { FlagError } from './flags.ts';
import { question } from './question.ts';

interface ConsentFlags {
  readonly yes: boolean;
  readonly 'dry-run': boolean;
}

/**
 * Asked last of all that can be wrong with a command line: `--yes` on one that is refused for another reason then would
 * be a yes to what nobody has seen.
 *
 * @param service that the command changes something in
 * @throws {FlagError} when a question would have to be asked, and nobody is there to answer it
 */
export function requireConsent(flags: ConsentFlags, service: Service = 'SFN'): void {
  if (flags.yes || flags['dry-run'] || process.stdin.isTTY || isLocal(process.env, service)) return;
  throw new FlagError(
    '--yes: expected it where no terminal is there to ask at, got none; add it, or try it first with --dry-run',
  );
}

/** Asks what is to be done in a real account. `text`: the question, without what can be answered. */
export async function consent(text: string, { yes }: ConsentFlags, signal: AbortSignal): Promise<boolean> {
  return yes || /^y(es)?$/i.test(await question(`\n${text} [y/N] `, signal));
}
