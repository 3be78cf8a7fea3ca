import { isDeepStrictEqual } from 'node:util';
import type { KeyRead, PollProgress } from '../../statemachine/contract/child.ts';
import type { Chunk } from '../../statemachine/contract/chunks.ts';
import type { ExpiredKey } from '../../statemachine/contract/keys.ts';
import { knownKeys, knownOf } from './known-keys.ts';

/* The part of the poll slice that says which deletes were planned before their items were due. */

/** A later poll that comes upon the entry does not take it again: its delete has been counted. */
export function isPlanned({ planned = [] }: Partial<KeyRead>, entry: ExpiredKey): boolean {
  return planned.some(({ key, ttl }) => ttl === entry.ttl && isDeepStrictEqual(key, entry.key));
}

/**
 * The poll as if what was left of a plan had never been planned: keys that were left ended it. Chunks are deleted in the order of their
 * cutoffs.
 *
 * @param results what DeleteChunks came to
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
