import { NoAnswerError } from '../aws/no-answer.ts';
import { isThrottled } from '../aws/throttled.ts';
import { MissingPermissionError } from '../table/errors.ts';
import { permitted } from '../table/permitted.ts';

/** Why something is not known. */
export interface NotChecked {
  readonly reason: string;
  /** This machine has no such service: nobody was asked. */
  readonly isLocal: boolean;
  /** The remedy, where the general advice is not enough. */
  readonly remedy?: string;
  /** The service did not answer; anything else is an answer of it, but not the one that was asked for. */
  readonly silent?: NoAnswerError;
}

/** The outcome of a check: the observation, or why there is none. */
export type Checked<Seen> = { readonly seen: Seen } | { readonly notChecked: NotChecked };

/** The observation; null when it is not known. */
export function seenOf<Seen>(checked: Checked<Seen> | undefined): Seen | null {
  return checked !== undefined && 'seen' in checked ? checked.seen : null;
}

/** Errors after which no other check can succeed either. */
const HOPELESS = ['CredentialsProviderError', 'AbortError'];

/**
 * Asks AWS for something. What cannot be asked is an answer too, but for credentials that are missing. It is for what reports on
 * many things; what cannot go on without an answer takes `permitted`, which throws.
 *
 * @param action as IAM names it
 * @param resource ARN of what is asked for, or `*`
 */
export async function check<Seen>(
  action: string,
  resource: string,
  ask: () => Promise<Seen>,
): Promise<Checked<Seen>> {
  try {
    return { seen: await permitted(action, resource, ask) };
  } catch (error) {
    if (!(error instanceof Error) || HOPELESS.includes(error.name)) throw error;
    if (error instanceof MissingPermissionError) {
      return {
        notChecked: {
          reason: `${action} is not allowed`,
          isLocal: false,
          remedy: `Allow the action ${action} on the resource ${resource} in IAM, and run this again.`,
        },
      };
    }
    if (error instanceof NoAnswerError) {
      return { notChecked: { reason: error.reason, isLocal: false, silent: error } };
    }
    if (isThrottled(error)) return { notChecked: { reason: `${action} is throttled`, isLocal: false } };
    const fromAws = '$metadata' in error || 'code' in error;
    // A fault of ours.
    if (!fromAws) throw error;
    const code = 'code' in error && error.code !== undefined ? `${error.code} ` : '';
    return {
      notChecked: { reason: `${action}: ${code}${error.name}: ${error.message}`.trim(), isLocal: false },
    };
  }
}

/** The outcome for a service that has no endpoint on this machine, while others have one. */
export function notAsked(service: string): { readonly notChecked: NotChecked } {
  return { notChecked: { reason: `no endpoint of ${service} on this machine`, isLocal: true } };
}
