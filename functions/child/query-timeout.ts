import type { InitialProgress } from '../../statemachine/contract/child.ts';
import { FUNCTION_TIMEOUT_SECONDS, PRECISE_TIMEOUT_SECONDS } from '../../statemachine/contract/machines.ts';

/** TimeoutSeconds of QueryExpired for its queries. */
export function queryTimeoutSeconds({ target }: Pick<InitialProgress, 'target'>): number {
  return (target.upcomingFrom === null ? FUNCTION_TIMEOUT_SECONDS : PRECISE_TIMEOUT_SECONDS).QueryExpired;
}
