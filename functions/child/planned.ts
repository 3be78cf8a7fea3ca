import { isDeepStrictEqual } from 'node:util';
import type { KeyRead, PollProgress } from '../../statemachine/contract/child.ts';
import type { Chunk } from '../../statemachine/contract/chunks.ts';
import type { ExpiredKey } from '../../statemachine/contract/keys.ts';
import { knownKeys, knownOf } from './known-keys.ts';

/* The part of the poll's progress about deletes that were planned before their items were due. */

/** Whether the delete of an entry is planned. Later polls skip such an entry: its delete is counted already. */
export function isPlanned({ planned = [] }: Partial<KeyRead>, entry: ExpiredKey): boolean {
  return planned.some(({ key, ttl }) => ttl === entry.ttl && isDeepStrictEqual(key, entry.key));
}

/**
 * Returns the poll without the part of a plan that DeleteChunks did not do: keys that were left have ended the plan. Chunks are deleted in
 * the order of their cutoffs.
 *
 * @param results the results of DeleteChunks
 */
export function withoutUndone(poll: PollProgress, results: readonly Chunk[]): PollProgress {
  if (results.length === 0) return poll;
  const doneUpTo = Math.max(...results.map(({ cutoff }) => cutoff));
  const known = knownOf(poll.known);
  const keys = Object.entries(known).map(([indexKey, read]) => [
    indexKey,
    { ...read, ...splitPlan(read, doneUpTo) },
  ]);
  const undone = Object.values(known).flatMap(({ planned = [] }) =>
    planned.filter(({ ttl }) => ttl > doneUpTo),
  );
  if (undone.length === 0) return poll;
  const next = Math.ceil(Math.min(...undone.map(({ ttl }) => ttl))) - (poll.ahead ?? 0);
  return { ...poll, known: knownKeys(Object.fromEntries(keys)), nextAt: Math.min(next, poll.nextAt ?? next) };
}

function splitPlan({ next, planned = [] }: KeyRead, doneUpTo: number): Pick<KeyRead, 'next' | 'planned'> {
  const undone = planned.filter(({ ttl }) => ttl > doneUpTo).map(({ ttl }) => ttl);
  const earliest = Math.min(next ?? Number.POSITIVE_INFINITY, ...undone);
  return {
    next: Number.isFinite(earliest) ? earliest : null,
    planned: planned.filter(({ ttl }) => ttl <= doneUpTo),
  };
}
