import type { BusyProgress } from '../../statemachine/contract/child.ts';
import type { Millis } from '../../statemachine/times.ts';
import { type BackoffSettings, backoffMs } from '../retry/backoff.ts';

/* The slice of a child's progress that says how long it leaves a DynamoDB alone that was too busy for its queries. */

/** A query got through. */
export const NOT_BUSY: BusyProgress = { polls: 0, untilMs: null };

/** DynamoDB was too busy for a query. */
export function afterBusy(
  busy: BusyProgress,
  nowMs: Millis,
  { pace, random }: { readonly pace: BackoffSettings; readonly random: () => number },
): BusyProgress {
  const polls = busy.polls + 1;
  return { polls, untilMs: nowMs + backoffMs(polls, pace, random) };
}
