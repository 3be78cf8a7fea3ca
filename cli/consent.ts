import { isLocal, type Service } from '../operate/aws/endpoint.ts';
import { FlagError } from './flags.ts';
import { question } from './question.ts';

/** The flag of every command that changes something in an account. */
export const YES = { type: 'switch', help: 'do not ask' } as const;

interface ConsentFlags {
  readonly yes: boolean;
  /** Undefined for a command without this flag. */
  readonly 'dry-run'?: boolean;
}

/**
 * Asked last of all that can be wrong with a command line: `--yes` on one that is refused for another reason then would
 * be a yes to what nobody has seen.
 *
 * @param service that the command changes something in; on this machine nothing has to be asked. Undefined for Terraform, which
 * has endpoints and a state of its own
 * @throws {FlagError} when a question would have to be asked, and nobody is there to answer it
 */
export function requireConsent(flags: ConsentFlags, service?: Service): void {
  const { yes, 'dry-run': dryRun } = flags;
  if (yes || dryRun || process.stdin.isTTY || (service && isLocal(process.env, service))) return;
  const orTry = dryRun === undefined ? '' : ', or try it first with --dry-run';
  throw new FlagError(`--yes: expected it where no terminal is there to ask at, got none; add it${orTry}`);
}

/** Asks what is to be done in a real account. `text`: the question, without what can be answered. */
export async function consent(text: string, { yes }: ConsentFlags, signal: AbortSignal): Promise<boolean> {
  return yes || /^y(es)?$/i.test(await question(`\n${text} [y/N] `, signal));
}
