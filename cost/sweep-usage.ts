import { CALL_MS, ENTRY_BYTES, READ_MS, TICK_LATE_SECONDS } from './assumptions.ts';

/** What of a table's settings decides what its sweep takes. */
export interface SweepShape {
  readonly indexedBy: 'window' | 'second';
  /** Of a window, minutes. */
  readonly granularityMinutes: number;
  readonly shards: number;
  readonly precisionSeconds: number;
  readonly pollSeconds: number;
  readonly lookbackMinutes: number;
  readonly reconcileHours: number;
  /** Executions that an hourly reconcile consists of. */
  readonly reconcileParts: number;
  /** Queries of a reconcile for what writers with other settings have stamped. */
  readonly misfiledProbes: number;
  readonly functionMemoryMb: number;
}

/** What executions take, in the units in which it is billed. */
export interface SweepUsage {
  readonly executions: number;
  readonly stateTransitions: number;
  readonly expressRequests: number;
  readonly expressGbSeconds: number;
  readonly functionInvocations: number;
  readonly functionGbSeconds: number;
  readonly dynamoDbReadUnits: number;
  /** Executions that print what they planned, what they swept, and a document of metrics. */
  readonly recordedSweeps: number;
}

/** Of a month as a benchmark counts it: 30 days. */
export const TICKS_A_MONTH = 43_200;
const RECONCILES_A_MONTH = 720;

const PLAIN_MODE_SECONDS = 60;
/** Seconds. */
const MINUTE = 60;

/** Transitions of an execution that finds nothing, of one more that sweeps, without its children. */
const IDLE_TRANSITIONS = 3;
const SWEEPING_TRANSITIONS = 2;

/** Keys of a chunk, and of a page. */
const CHUNK_KEYS = 25;
const PAGE_KEYS = 1000;

/** Memory that Step Functions bills a child, GB: one step of 64 MB. */
const CHILD_GB = 64 / 1024;
/** What a child takes besides its waits, seconds. */
const CHILD_SECONDS = 0.1;

const READ_UNIT_BYTES = 4096;

/** From so many minutes on a window is looked back to while the upcoming minute lies in it, but for its first minutes. */
const SHARED_WINDOW_MINUTES = 3;

/** A poll reads on from what is due by this share of it, and this many entries. */
const READ_AHEAD = { share: 1.25, entries: 10 } as const;

/** Of an eventually consistent query, read units. */
const unitsOfQuery = (entries: number): number =>
  Math.max(1, Math.ceil((entries * ENTRY_BYTES) / READ_UNIT_BYTES)) / 2;

/**
 * What the ticks of a month take, when as many items expire in each minute, evenly. Fewer than one a minute: as many minutes have one.
 * What the sweep does is counted as `npm run bench:cost` counts it, which runs the real definition; test/bench holds the two together.
 *
 * @param itemsPerMinute of one table
 */
export function ticksOfMonth(shape: SweepShape, itemsPerMinute: number): SweepUsage {
  return times(TICKS_A_MONTH, tick(shape, itemsPerMinute));
}

/** What the reconciles of a month take of a table from which the ticks have deleted everything. */
export function reconcilesOfMonth(shape: SweepShape): SweepUsage {
  const { reconcileHours, reconcileParts, misfiledProbes, functionMemoryMb } = shape;
  const probes = probesBack(shape, reconcileHours * 60) + misfiledProbes;
  return times(RECONCILES_A_MONTH, {
    ...NOTHING,
    executions: reconcileParts,
    stateTransitions: IDLE_TRANSITIONS * reconcileParts,
    functionInvocations: reconcileParts,
    functionGbSeconds: gbSeconds(reconcileParts * CALL_MS + probes * READ_MS.processorMs, functionMemoryMb),
    dynamoDbReadUnits: probes * unitsOfQuery(0),
  });
}

const NOTHING: SweepUsage = {
  ...{ executions: 0, stateTransitions: 0, expressRequests: 0, expressGbSeconds: 0 },
  ...{ functionInvocations: 0, functionGbSeconds: 0, dynamoDbReadUnits: 0, recordedSweeps: 0 },
};

function tick(shape: SweepShape, items: number): SweepUsage {
  const { shards, pollSeconds, functionMemoryMb } = shape;
  const isWatched = pollSeconds > 0;
  const ofShard = items / shards;
  const sweptShards = isWatched ? shards : shards * Math.min(1, ofShard);
  const sweeping = isWatched ? 1 : Math.min(1, items);
  // A shard that is swept because it holds something holds one item at least.
  const own = isWatched ? ofShard : Math.max(1, ofShard);
  const of = isPlain(shape) ? plainSweep(shape, own) : watch(shape, own);
  const probes = probesOfTick(shape, ofShard);
  const planMs = CALL_MS + probes * READ_MS.processorMs + 2 * (READ_MS.ms - READ_MS.processorMs);
  const calls = sweptShards * (of.queries + of.deletes) + sweeping;
  return {
    executions: 1,
    stateTransitions: IDLE_TRANSITIONS + SWEEPING_TRANSITIONS * sweeping + sweptShards * of.children,
    expressRequests: sweptShards * of.children,
    expressGbSeconds: sweptShards * of.seconds * CHILD_GB,
    functionInvocations: 1 + calls,
    functionGbSeconds: gbSeconds(
      planMs + calls * CALL_MS + sweptShards * of.reads * READ_MS.ms,
      functionMemoryMb,
    ),
    dynamoDbReadUnits: probes * unitsOfQuery(0) + sweptShards * of.readUnits,
    recordedSweeps: sweeping,
  };
}

/** What the children of one shard take together. */
interface Children {
  readonly children: number;
  readonly seconds: number;
  /** Calls of QueryExpired, and of DeleteChunk. */
  readonly queries: number;
  readonly deletes: number;
  /** Queries of the index, one after the other. */
  readonly reads: number;
  readonly readUnits: number;
}

/** The child that is there through the upcoming minute. @param items of its shard */
function watch(shape: SweepShape, items: number): Children {
  const { indexedBy, precisionSeconds, shards } = shape;
  const spans = MINUTE / precisionSeconds;
  // Polls that are seconds apart are made at both ends of the minute.
  const most = precisionSeconds === 1 ? spans : spans + 1;
  const moments = Math.min(items, most);
  const ofMoment = moments === 0 ? 0 : items / moments;
  const queries = pollsOf(shape, items) + moments * Math.floor(ofMoment / PAGE_KEYS);
  const bySecond = indexedBy === 'second';
  const toTheEnd = shape.pollSeconds > 0 || moments > spans;
  // By window it ends with the last item that it knows of, which come to the shards by turns; by second with the last second.
  const early = bySecond ? precisionSeconds : (MINUTE / Math.max(1, moments)) * ((1 + 1 / shards) / 2);
  const lasts = toTheEnd ? MINUTE : MINUTE - early;
  const reads = bySecond ? MINUTE : queries + windowsOfMinute(shape) - 1;
  const filled = bySecond ? MINUTE : moments;
  const entries = bySecond ? items / MINUTE : ofMoment * READ_AHEAD.share + READ_AHEAD.entries;
  return {
    children: 1,
    seconds: MINUTE - TICK_LATE_SECONDS + lasts + CHILD_SECONDS,
    queries,
    deletes: moments * Math.ceil(ofMoment / CHUNK_KEYS),
    reads,
    readUnits: filled * unitsOfQuery(Math.min(items, entries)) + (reads - filled) * unitsOfQuery(0),
  };
}

/** Calls of QueryExpired in a minute, the last of which ends the child. */
function pollsOf({ indexedBy, precisionSeconds, pollSeconds }: SweepShape, items: number): number {
  const spans = MINUTE / precisionSeconds;
  const addsUp = precisionSeconds > 1 && items > spans ? 1 : 0;
  if (indexedBy === 'second') return spans + 1 + addsUp;
  if (pollSeconds === 0) return Math.min(items, precisionSeconds === 1 ? spans : spans + 1) + 1;
  if (items < 1) return MINUTE / pollSeconds + 1 + items;
  const gap = Math.max(MINUTE / items, precisionSeconds);
  return Math.min(items, spans) * Math.ceil(gap / pollSeconds) + 1 + addsUp;
}

/** In the plain mode: one child for what expired in this minute so far, and one for the minute before when that is another window. */
function plainSweep({ indexedBy, granularityMinutes }: SweepShape, items: number): Children {
  const children = Math.min(granularityMinutes < SHARED_WINDOW_MINUTES ? 2 : 1, items);
  const ofChild = items / children;
  const late = (items * TICK_LATE_SECONDS) / MINUTE;
  const reads = indexedBy === 'second' ? MINUTE : children * Math.ceil(ofChild / PAGE_KEYS);
  return {
    children,
    seconds: children * CHILD_SECONDS,
    queries: children * (1 + Math.ceil(ofChild / PAGE_KEYS)),
    deletes: Math.ceil(late / CHUNK_KEYS) + Math.ceil((items - late) / CHUNK_KEYS) - (items < 2 ? 1 : 0),
    reads,
    readUnits: reads * unitsOfQuery(items / reads),
  };
}

function isPlain({ precisionSeconds }: SweepShape): boolean {
  return precisionSeconds === PLAIN_MODE_SECONDS;
}

/** Of the windows behind, and of the upcoming minute unless it is watched anyway. */
function probesOfTick(shape: SweepShape, itemsOfShard: number): number {
  const back = probesBack(shape, shape.lookbackMinutes);
  const { indexedBy, shards } = shape;
  const found = Math.min(1, itemsOfShard);
  if (isPlain(shape)) {
    // A minute of seconds is probed until one of them holds something; its child reads the others.
    return indexedBy === 'second' ? back - found * MINUTE + found : back + shards / shape.granularityMinutes;
  }
  if (shape.pollSeconds > 0) return back;
  if (indexedBy === 'second') return back + (1 - found) * MINUTE + found;
  // One probe asks for both, and where it finds the minute before, another one for the minute alone.
  if (shape.granularityMinutes >= SHARED_WINDOW_MINUTES) return back + shards * found;
  return back + shards * windowsOfMinute(shape);
}

/**
 * Windows that may hold items of a minute, on average: one that begins with it has another one before, for what is stamped the older way.
 * Only the first poll reads both.
 */
function windowsOfMinute({ granularityMinutes }: SweepShape): number {
  return 1 + 1 / granularityMinutes;
}

/** Of all that lies so far back: by window and shard, or by second. */
function probesBack({ indexedBy, granularityMinutes, shards }: SweepShape, minutes: number): number {
  return indexedBy === 'second' ? minutes * 60 + 1 : (minutes / granularityMinutes + 1) * shards;
}

function gbSeconds(milliseconds: number, memoryMb: number): number {
  return (milliseconds / 1000) * (memoryMb / 1024);
}

function times(factor: number, usage: SweepUsage): SweepUsage {
  const scaled = Object.entries(usage).map(([name, amount]) => [name, amount * factor]);
  return Object.fromEntries(scaled) as unknown as SweepUsage;
}
