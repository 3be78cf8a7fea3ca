import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { isLocal, type Service } from '../operate/aws/endpoint.ts';
import { FlagError, switchFlag } from './flags.ts';
import { shownOn } from './print.ts';

/** The flag of every command that changes something in an account. */
export const YES = switchFlag('do not ask');

interface ConsentFlags {
  readonly yes: boolean;
  /** Undefined for a command that has no `--dry-run`. */
  readonly 'dry-run'?: boolean;
}

/**
 * Checks that the change can be confirmed. Call it after all other checks of the command line: otherwise the user could add
 * `--yes` to a command that is then refused for another reason, and so agree to something that was never shown.
 *
 * @param service that the command changes; on this machine no confirmation is needed. Undefined for Terraform, which has its own
 * endpoints and state
 * @throws {FlagError} when confirmation is needed and there is no terminal to ask in
 */
export function requireConsent(flags: ConsentFlags, service?: Service): void {
  const { yes, 'dry-run': dryRun } = flags;
  if (yes || dryRun || process.stdin.isTTY || (service && isLocal(process.env, service))) return;
  const orTry = dryRun === undefined ? '' : ', or try it first with --dry-run';
  throw new FlagError(`--yes: expected it where no terminal is there to ask at, got none; add it${orTry}`);
}

/**
 * Asks for consent to a change, unless `--yes` gives it.
 *
 * @param text the question, without the possible answers
 * @returns whether the user agrees
 */
export async function consent(text: string, { yes }: ConsentFlags, signal: AbortSignal): Promise<boolean> {
  return yes || /^y(es)?$/i.test(await question(`\n${text} [y/N] `, signal));
}

/**
 * Asks a question in the terminal.
 *
 * @param signal aborts the question
 * @returns the trimmed answer; empty after Ctrl-D or when the signal aborts
 */
export async function question(text: string, signal?: AbortSignal): Promise<string> {
  const options = signal && { signal };
  // `terminal: false` leaves Ctrl-C to the process as a signal.
  const terminal = createInterface({ input: process.stdin, output: process.stdout, terminal: false });
  try {
    const closed = once(terminal, 'close', options).then(() => ''); // Ctrl-D
    const asked = shownOn(process.stdout, text);
    const answered = options ? terminal.question(asked, options) : terminal.question(asked);
    return (await Promise.race([answered, closed])).trim();
  } catch (error) {
    if (signal?.aborted) return '';
    throw error;
  } finally {
    terminal.close();
  }
}
