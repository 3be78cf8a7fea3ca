import type { ExpiryModel } from '../../expiry/model.ts';
import { expiredRange } from '../../expiry/ttl.ts';
import { GRANULARITIES, windowKey } from '../../expiry/window.ts';
import { windowStarts } from '../../expiry/window-starts.ts';
import type { ExpiredKey, ItemKey } from '../../statemachine/contract.ts';
import { type KeySettings, keyShower } from '../report/shown-keys.ts';
import type { SweepSettings } from '../runtime/environment.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { ReadIndex } from '../table/index-query.ts';

/** A reconcile comes once an hour; the five minutes are for entries that came late to the index. */
const SPAN_SECONDS = 65 * 60;

/** Shards after the last one that are probed, and shards of each other granularity: a busy writer fills the first ones too. */
const PROBED_SHARDS = 8;

/** Probes in flight. One that waits for a throttled DynamoDB must not keep the others waiting. */
const CONCURRENCY = 32;

/** Most entries that are read of one window. */
const MOST_OF_WINDOW = 100;

/** Keys that a log line shows. */
const SHOWN_KEYS = 3;

/** Milliseconds after which no further probe begins: the plan needs most of the function's time. */
const MISFILED_MS = 20_000;

/** A stamp that this deployment does not sweep: a window of another length, or a shard that it has not. */
interface OtherStamp {
  readonly granularityMinutes: number;
  readonly shard: number;
}

/** Expired index entries that no sweep of this deployment finds, because their writer has other settings. */
export interface Misfiled extends OtherStamp {
  /** How many were seen; there may be more. */
  readonly found: number;
  /** Some of them. */
  readonly keys: readonly ItemKey[];
}

/** Hours between two reconciles that look for it: a writer with other settings goes on writing, and the search costs more than all else. */
export const TURN_HOURS = 24;

/** Whether it is a table's turn: those of a deployment have theirs in different hours. @param cutoff epoch seconds */
export function isTurnToSeek(tableName: string, cutoff: number): boolean {
  // Names often differ in a number only, whose digits alone would give many of them the same turn.
  const turn = [...tableName].reduce(
    (sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % TURN_HOURS,
    0,
  );
  return (Math.floor(cutoff / 3600) + turn) % TURN_HOURS === 0;
}

/** What counting takes of the function's runtime. */
export interface MisfiledSurroundings {
  readonly settings: Pick<SweepSettings, 'model'> & KeySettings;
  readonly logger: Pick<Runtime['logger'], 'warn'>;
}

/**
 * Counts the items that writers with other settings have stamped and that have expired since the last reconcile, and logs what
 * is wrong with them. They stay where they are: deleting them would hide the disagreement.
 *
 * The sweep does not fail by it, and waits for it about 20 seconds at most. What cannot be probed is left out; the next
 * reconcile finds what the writer has stamped by then.
 */
export async function countMisfiled(
  cutoff: number,
  { settings, logger }: MisfiledSurroundings,
  readIndex: ReadIndex,
  remainingMs: () => number,
): Promise<number> {
  const { model } = settings;
  const showKey = keyShower(settings);
  const allotted = remainingMs() - MISFILED_MS;
  const misfiled = await findMisfiled(model, cutoff, readIndex, () => remainingMs() < allotted);
  for (const { keys, ...each } of misfiled) {
    const shown = keys.map(showKey).filter(key => key !== undefined);
    logger.warn('misfiled', { ...each, keys: shown, problem: problemOf(each, model) });
  }
  return misfiled.reduce((sum, { found }) => sum + found, 0);
}

/**
 * Expired entries under stamps that are not swept.
 *
 * @param cutoff epoch seconds: what expired in the 65 minutes up to it is looked for
 * @param outOfTime asked before each probe; true leaves the other ones out
 */
export async function findMisfiled(
  model: ExpiryModel,
  cutoff: number,
  readIndex: ReadIndex,
  outOfTime: () => boolean,
): Promise<Misfiled[]> {
  const { after, upTo } = expiredRange(cutoff);
  const stamps = [...otherStamps(model)].map(stamp => ({ stamp, entries: [] as ExpiredKey[] }));
  const probes = stamps
    .flatMap(({ stamp, entries }) => windowKeys(stamp, cutoff).map(value => ({ value, entries })))
    .values();
  let refusedInARow = 0;
  const probe = async () => {
    for (const { value, entries } of probes) {
      // A DynamoDB that answers nothing is left alone. Whatever else is wrong, the plan meets it next, and tells.
      if (outOfTime() || refusedInARow >= CONCURRENCY) return;
      try {
        const page = await readIndex({ value }, { from: after + 1, upTo }, null, MOST_OF_WINDOW);
        entries.push(...page.entries);
        refusedInARow = 0;
      } catch {
        refusedInARow += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, probe));
  return stamps
    .filter(({ entries }) => entries.length > 0)
    .map(({ stamp, entries }) => ({
      ...stamp,
      found: entries.length,
      keys: entries.slice(0, SHOWN_KEYS).map(({ key }) => key),
    }));
}

/** Queries that {@link findMisfiled} makes of an index without such entries. */
export function misfiledProbes(model: ExpiryModel, cutoff: number): number {
  return [...otherStamps(model)].reduce((sum, stamp) => sum + windowKeys(stamp, cutoff).length, 0);
}

/** The windows with this stamp that hold what has expired since the last reconcile. */
function windowKeys({ granularityMinutes, shard }: OtherStamp, cutoff: number): string[] {
  const seconds = granularityMinutes * 60;
  const starts = windowStarts(cutoff - SPAN_SECONDS + 1, cutoff + 1, seconds);
  return [...starts].map(start => windowKey(start, seconds, shard));
}

/** By second there are none: the TTL itself is the key. */
function* otherStamps({ indexedBy, granularitySeconds, shards }: ExpiryModel): Generator<OtherStamp> {
  if (indexedBy === 'second') return;
  const own = granularitySeconds / 60;
  for (let shard = shards; shard < shards + PROBED_SHARDS; shard += 1) {
    yield { granularityMinutes: own, shard };
  }
  for (const granularityMinutes of GRANULARITIES) {
    if (granularityMinutes === own) continue;
    for (let shard = 0; shard < Math.min(shards, PROBED_SHARDS); shard += 1) {
      yield { granularityMinutes, shard };
    }
  }
}

function problemOf({ granularityMinutes, shard }: OtherStamp, model: ExpiryModel): string {
  const own = model.granularitySeconds / 60;
  const swept = model.shards === 1 ? 'shard 0' : `shards 0 to ${model.shards - 1}`;
  return granularityMinutes === own
    ? `shard ${shard}; this deployment sweeps ${swept}. Give the deployment as many shards as the writer has, at least ${shard + 1}.`
    : `windows of ${minutes(granularityMinutes)}; this deployment sweeps windows of ${minutes(own)}. Give the writer granularityMinutes: ${own}, and write these items again.`;
}

function minutes(count: number): string {
  return `${count} minute${count === 1 ? '' : 's'}`;
}
