import { KEYS_AT_ONCE } from '../../statemachine/contract/limits.ts';
import type { Seconds } from '../../statemachine/times.ts';
import { DynamoDbBusyError } from '../runtime/errors.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { IndexKey, IndexLayout } from '../table/index-layout.ts';
import type { ReadIndex } from '../table/index-query.ts';

const SHARDS_AT_ONCE = 16;

/** Maximum number of index keys of a shard's lookback that a probe queries: by second, ten minutes. The child executions query the rest. */
const MOST_KEYS = 600;

export interface Spans {
  /** The lookback is `from` <= TTL < `before`, epoch seconds. */
  readonly from: Seconds;
  readonly before: Seconds;
  readonly upcoming: { readonly from: Seconds; readonly before: Seconds } | null;
}

export interface ShardProbe {
  readonly shard: number;
  /** Epoch seconds. No item in the shard's lookback has an earlier TTL. Undefined: the shard's lookback has no item. */
  readonly left: number | undefined;
  readonly isSeen: boolean;
  readonly isUpcoming: boolean;
}

export interface ProbeOptions extends Pick<Runtime, 'clock' | 'sleep'> {
  readonly layout: IndexLayout;
  readonly readIndex: ReadIndex;
  readonly patienceMs: number;
  readonly watchAlways: boolean;
}

/**
 * Looks for each shard's entries in `spans`. If DynamoDB is too busy or slow, every shard counts as having entries: children query it.
 */
export async function probeShards(
  shards: number,
  spans: Spans,
  options: ProbeOptions,
): Promise<ShardProbe[]> {
  const { clock, sleep, patienceMs } = options;
  const startedAt = clock();
  const outOfTime = () => clock() - startedAt > (patienceMs * 3) / 4;
  const all = Array.from({ length: shards }, (_unused, shard) => shard);
  const tooSlow = sleep(patienceMs).then((): never => {
    throw new DynamoDbBusyError(`no answer to the probes within ${patienceMs} ms`);
  });
  tooSlow.catch(() => undefined);
  try {
    const probes = sideBySide(all, SHARDS_AT_ONCE, shard =>
      probeShard(shard, spans, { ...options, outOfTime }),
    );
    return await Promise.race([probes, tooSlow]);
  } catch (error) {
    if (!(error instanceof DynamoDbBusyError)) throw error;
    return all.map(shard => ({
      shard,
      left: spans.from,
      isSeen: false,
      isUpcoming: spans.upcoming !== null,
    }));
  }
}

async function probeShard(
  shard: number,
  spans: Spans,
  options: ProbeOptions & { readonly outOfTime: () => boolean },
): Promise<ShardProbe> {
  const { layout, outOfTime, readIndex, watchAlways } = options;
  const { from, before, upcoming } = spans;
  const keysOf = (span: { from: number; before: number }): readonly IndexKey[] =>
    span.before <= span.from ? [] : layout.keys({ ...span, shards: `${shard}` });
  const earliest = async (key: IndexKey, span: { from: number; before: number }) => {
    const { entries } = await readIndex(key, { from: span.from, upTo: span.before }, 1);
    // The query's BETWEEN includes `span.before`, but the span ends before `span.before`.
    return entries.find(({ ttl }) => ttl < span.before)?.ttl;
  };
  const back = keysOf({ from, before });
  const ahead = upcoming === null ? [] : keysOf(upcoming);
  const shared = new Set(ahead.map(({ value }) => value));
  const known = new Map<IndexKey['value'], boolean>();
  // If a window overlaps the lookback and the upcoming minute, one query of both often makes a second query needless.
  const earliestBack = async (key: IndexKey) => {
    if (upcoming === null || !shared.has(key.value)) return earliest(key, { from, before });
    const ttl = await earliest(key, { from, before: upcoming.before });
    if (ttl === undefined || ttl >= upcoming.from) known.set(key.value, ttl !== undefined);
    return ttl !== undefined && ttl < before ? ttl : undefined;
  };
  let left: number | undefined;
  let isSeen = false;
  for (let first = 0; first < back.length && left === undefined; first += KEYS_AT_ONCE) {
    const some = back.slice(first, first + KEYS_AT_ONCE);
    if (first > 0 && (first >= MOST_KEYS || outOfTime())) {
      left = Math.max(from, some[0]?.from ?? from);
      break;
    }
    const ttls = await Promise.all(some.map(earliestBack));
    const seen = ttls.filter(ttl => ttl !== undefined);
    isSeen = seen.length > 0;
    if (isSeen) left = Math.min(...seen);
  }
  let isUpcoming = upcoming !== null && watchAlways;
  for (let first = 0; first < ahead.length && upcoming !== null && !isUpcoming; first += KEYS_AT_ONCE) {
    const some = ahead.slice(first, first + KEYS_AT_ONCE);
    const seen = await Promise.all(
      some.map(async key => known.get(key.value) ?? (await earliest(key, upcoming)) !== undefined),
    );
    isUpcoming = seen.includes(true);
  }
  return { shard, left, isSeen, isUpcoming };
}

export async function sideBySide<Input, Output>(
  inputs: readonly Input[],
  most: number,
  work: (input: Input) => Promise<Output>,
): Promise<Output[]> {
  const outputs: Output[] = [];
  const entries = inputs.entries();
  const worker = async () => {
    for (const [index, input] of entries) outputs[index] = await work(input);
  };
  await Promise.all(Array.from({ length: Math.min(most, inputs.length) }, worker));
  return outputs;
}
