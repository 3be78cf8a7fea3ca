import { isThrottled, NoAnswerError, permitted } from '../aws/errors.ts';
import { MissingPermissionError } from '../errors.ts';

/** The reason why something is not known. */
export interface NotChecked {
  readonly reason: string;
  /** The service does not exist on this machine, so no request was made. */
  readonly isLocal: boolean;
  /** A remedy, if the general advice is not enough. */
  readonly remedy?: string;
  /** Set if the service did not answer at all; unset if it answered with an error. */
  readonly silent?: NoAnswerError;
}

/** The result of a check: the observation, or the reason why there is none. */
export type Checked<Seen> = { readonly seen: Seen } | { readonly notChecked: NotChecked };

/** The observation; null when it is not known. */
export function seenOf<Seen>(checked: Checked<Seen> | undefined): Seen | null {
  return checked !== undefined && 'seen' in checked ? checked.seen : null;
}

/** Errors after which all other checks would fail too. */
const HOPELESS = ['CredentialsProviderError', 'AbortError'];

/**
 * Makes a request to AWS for a report on many things. A failed request is a result too, except for missing credentials. Code that
 * needs the answer uses `permitted`, which throws.
 *
 * @param action name in IAM
 * @param resource ARN of the requested resource, or `*`
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
    // The error is a bug of ours.
    if (!fromAws) throw error;
    const code = 'code' in error && error.code !== undefined ? `${error.code} ` : '';
    return {
      notChecked: { reason: `${action}: ${code}${error.name}: ${error.message}`.trim(), isLocal: false },
    };
  }
}

/** The result for a service without an endpoint on this machine, if other services have one. */
export function notAsked(service: string): { readonly notChecked: NotChecked } {
  return { notChecked: { reason: `no endpoint of ${service} on this machine`, isLocal: true } };
}
