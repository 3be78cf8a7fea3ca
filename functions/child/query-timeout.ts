import type { InitialProgress } from '../../statemachine/contract/child.ts';
import { FUNCTION_TIMEOUT_SECONDS, PRECISE_TIMEOUT_SECONDS } from '../../statemachine/contract/machines.ts';

/** Time limit of a child's QueryExpired task, in seconds: shorter for an upcoming minute, in which a late answer would delay its deletes. */
export function queryTimeoutSeconds({ target }: Pick<InitialProgress, 'target'>): number {
  return (target.upcomingFrom === null ? FUNCTION_TIMEOUT_SECONDS : PRECISE_TIMEOUT_SECONDS).QueryExpired;
}
