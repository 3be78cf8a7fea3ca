import {
  FUNCTION_TIMEOUT_SECONDS,
  type InitialProgress,
  PRECISE_TIMEOUT_SECONDS,
} from '../../statemachine/contract.ts';

/** TimeoutSeconds of QueryExpired, for its queries. */
export function queryTimeoutSeconds({ target }: Pick<InitialProgress, 'target'>): number {
  return (target.upcomingFrom === null ? FUNCTION_TIMEOUT_SECONDS : PRECISE_TIMEOUT_SECONDS).QueryExpired;
}
