import type { StateFailure } from '../failure.ts';

/** `error` and `cause` of a failure as event details, without absent fields. */
export function errorDetails(failure: Pick<StateFailure, 'error' | 'cause'>): {
  error?: string;
  cause?: string;
} {
  return {
    ...(failure.error !== undefined && { error: failure.error }),
    ...(failure.cause !== undefined && { cause: failure.cause }),
  };
}
