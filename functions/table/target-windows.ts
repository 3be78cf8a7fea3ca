import { isObject } from '../../expiry/fields.ts';
import type { SweepTarget, TargetWindow } from '../../statemachine/contract/targets.ts';

/*
 * The windows of a target, and their shards. A target may have a thousand shards, which must fit into payloads of a limited size, so they
 * are written as ranges.
 */

/** Ranges of shard numbers: at most a thousand shards, from 0 on. */
const RANGES = /^\d{1,3}(?:-\d{1,3})?(?:,\d{1,3}(?:-\d{1,3})?)*$/;

/** The shards of ranges, ascending. */
export function shardsOf(ranges: string): number[] {
  return ranges.split(',').flatMap(range => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_unused, index) => first + index);
  });
}

/** Makes ranges of shards in any order; the inverse of {@link shardsOf}. */
export function rangesOf(shards: Iterable<number>): string {
  const ranges: { first: number; last: number }[] = [];
  for (const shard of [...new Set(shards)].sort((one, other) => one - other)) {
    const range = ranges.at(-1);
    if (range?.last === shard - 1) range.last = shard;
    else ranges.push({ first: shard, last: shard });
  }
  return ranges.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join();
}

/** Joins equal windows and their shards; the oldest window is first. */
export function joinedWindows(windows: readonly TargetWindow[]): TargetWindow[] {
  const byStart = new Map<number, number[]>();
  for (const { start, shards } of windows) {
    const all = byStart.get(start) ?? [];
    all.push(...shardsOf(shards));
    byStart.set(start, all);
  }
  return [...byStart]
    .map(([start, shards]) => ({ start, shards: rangesOf(shards) }))
    .sort((one, other) => one.start - other.start);
}

/** All shards that a target has in any of its windows, ascending. */
export function shardsOfTarget({ windows }: Pick<SweepTarget, 'windows'>): number[] {
  return shardsOf(rangesOf(windows.flatMap(({ shards }) => shardsOf(shards))));
}

/** The part of a target in these shards. */
export function partOfTarget(target: SweepTarget, shards: readonly number[]): SweepTarget {
  const wanted = new Set(shards);
  const windows = target.windows.flatMap(window => {
    const own = shardsOf(window.shards).filter(shard => wanted.has(shard));
    return own.length === 0 ? [] : [{ ...window, shards: rangesOf(own) }];
  });
  return { ...target, windows };
}

/** Whether a value from another function is a target's windows. */
export function areWindows(value: unknown): value is readonly TargetWindow[] {
  return Array.isArray(value) && value.every(isWindow);
}

function isWindow(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { start, shards } = value;
  return Number.isSafeInteger(start) && typeof shards === 'string' && RANGES.test(shards);
}
