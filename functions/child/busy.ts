import type { BusyProgress } from '../../statemachine/contract/child.ts';
import type { Millis } from '../../statemachine/times.ts';
import { type BackoffSettings, backoffMs } from '../retry/backoff.ts';

/* The part of a child's progress that says how long it makes no queries because DynamoDB was too busy. */

/** The state after a query that succeeded. */
export const NOT_BUSY: BusyProgress = { polls: 0, untilMs: null };

/** The state after a query for which DynamoDB was too busy. */
export function afterBusy(
  busy: BusyProgress,
  nowMs: Millis,
  { pace, random }: { readonly pace: BackoffSettings; readonly random: () => number },
): BusyProgress {
  const polls = busy.polls + 1;
  return { polls, untilMs: nowMs + backoffMs(polls, pace, random) };
}
