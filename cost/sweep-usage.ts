import {
  BACK_CHILDREN,
  CHUNK_KEYS,
  KEYS_AT_ONCE,
  PAGE_KEYS,
  SHARDS_OF_CHILD,
  TICK_CHILDREN,
} from '../statemachine/contract/limits.ts';
import {
  CALL_MS,
  ENTRY_BYTES,
  FUNCTION_MEMORY_MB,
  JOURNAL_MS,
  READ_MS,
  TICK_LATE_SECONDS,
  WATERMARK_BYTES,
} from './assumptions.ts';

export interface SweptTable {
  readonly indexedBy: 'window' | 'second';
  readonly granularityMinutes: number;
  readonly shards: number;
  readonly precision: 'second' | 'minute';
  readonly pollSeconds: number;
  readonly deleteMode: 'guarded' | 'batch';
  readonly itemsPerMonth: number;
}

export type SweepUsage = ReturnType<typeof tick>;

export const TICKS_A_MONTH = 43_200;

const MINUTE = 60;

const PAUSES_KEPT = 2;

/** Number of index keys that a lookback reads in an index by second: the keys of a minute, and of the ten seconds before the watermark. */
const BACK_KEYS = MINUTE + 10;

/** Billed memory of an execution, GB: one unit of 64 MB. Its duration is billed in units of EXECUTION_STEP_SECONDS. */
const EXECUTION_GB = 64 / 1024;
const EXECUTION_STEP_SECONDS = 0.1;
const CHILD_SECONDS = 0.1;

/** Additional milliseconds that planned deletes wait if their keys were queried directly after other deletes. From a simulation. */
const FOLLOWING_PAGE_MS = 75;

const unitsOfQuery = (entries: number): number => readUnits(entries * ENTRY_BYTES) / 2;

const readMs = (queries: number): number =>
  queries * READ_MS.processorMs + Math.ceil(queries / KEYS_AT_ONCE) * (READ_MS.ms - READ_MS.processorMs);

/**
 * Usage by a month's ticks, if items expire evenly in time and over the shards. test/bench/experiments compares the usage with the counts
 * of the real state machine.
 */
export function usageOfMonth(tables: readonly SweptTable[]): SweepUsage {
  return times(TICKS_A_MONTH, tick(tables));
}

function tick(tables: readonly SweptTable[]) {
  const wanted = sum(tables, ({ shards }) => Math.ceil(shards / SHARDS_OF_CHILD));
  const shardsOfChild = SHARDS_OF_CHILD * Math.max(1, 2 ** Math.ceil(Math.log2(wanted / TICK_CHILDREN)));
  const chances = tables.map(chanceOf);
  const sweeping = 1 - chances.reduce((none, chance) => none * (1 - chance), 1);
  // If all tables are indexed by window, idle ticks write the watermarks only every other minute.
  const writes = tables.every(({ indexedBy }) => indexedBy === 'window') ? (1 + sweeping) / 2 : 1;
  const allItems = sum(tables, itemsOf);
  const swept = tables.map(table => sweepOfTable(table, { shardsOfChild, writes, allItems }));
  const probes = sum(swept, each => each.probes);
  const turns = Math.max(0, ...swept.map(({ probesInTurn }) => probesInTurn));
  const rows = sum(swept, each => each.rows);
  const notes = sum(swept, each => each.notes);
  const calls = sum(swept, ({ queries, deletes }) => queries + deletes) + sweeping;
  const bytes = WATERMARK_BYTES.item + tables.length * WATERMARK_BYTES.table;
  const planMs =
    CALL_MS +
    (1 + writes) * JOURNAL_MS +
    probes * READ_MS.processorMs +
    turns * (READ_MS.ms - READ_MS.processorMs);
  return {
    starts: 1,
    expressRequests: 1,
    expressGbSeconds: (1 - sweeping) * executionGbSeconds(planMs / 1000) + executionGbSeconds(longest(swept)),
    functionInvocations: 1 + calls,
    functionGbSeconds: gbSeconds(
      planMs +
        calls * CALL_MS +
        sum(swept, ({ readsMs, waitsMs }) => readsMs + waitsMs) +
        (notes + Math.min(rows, sweeping)) * JOURNAL_MS,
    ),
    dynamoDbReadUnits:
      probes * unitsOfQuery(0) + sum(swept, each => each.readUnits) + readsOfPauses(swept) + readUnits(bytes),
    dynamoDbWriteUnits: (writes + notes) * writeUnits(bytes) + rows,
    recordedSweeps: sweeping,
    sweptTables: rows,
  };
}

/** Number of reads of the pauses in a tick. DeleteChunk reads them again when the copy in its process is PAUSES_KEPT seconds old. */
function readsOfPauses(swept: readonly TableSweep[]): number {
  const slots = MINUTE / PAUSES_KEPT;
  const taken = (of: number) =>
    of * (1 - swept.reduce((none, { deleteSeconds }) => none * (1 - Math.min(1, deleteSeconds / of)), 1));
  const calls = sum(swept, ({ asking }) => asking);
  return calls === 0 ? 0 : (taken(slots) * calls) / taken(MINUTE);
}

interface TableSweep extends Children {
  readonly chance: number;
  readonly probes: number;
  readonly probesInTurn: number;
  readonly rows: number;
  readonly notes: number;
}

interface Children {
  readonly seconds: number;
  readonly queries: number;
  readonly deletes: number;
  readonly deleteSeconds: number;
  readonly asking: number;
  readonly readsMs: number;
  readonly waitsMs: number;
  readonly readUnits: number;
}

const itemsOf = ({ itemsPerMonth }: SweptTable): number => itemsPerMonth / TICKS_A_MONTH;

function chanceOf(table: SweptTable): number {
  return table.pollSeconds > 0 ? 1 : Math.min(1, itemsOf(table));
}

interface TickShape {
  readonly shardsOfChild: number;
  readonly writes: number;
  readonly allItems: number;
}

function sweepOfTable(table: SweptTable, { shardsOfChild, writes, allItems }: TickShape): TableSweep {
  const { shards, pollSeconds, precision } = table;
  const items = itemsOf(table);
  const isWatched = pollSeconds > 0;
  const chance = chanceOf(table);
  const own = isWatched ? items : Math.max(1, items);
  const sweptShards = isWatched ? shards : Math.min(shards, own);
  const isAhead = precision === 'second';
  const children = isAhead
    ? Math.ceil(sweptShards / shardsOfChild)
    : Math.min(BACK_CHILDREN, Math.ceil(sweptShards));
  const of = isAhead ? watch : sweepBack;
  const each = of(table, { items: own / children, shards: sweptShards / children, allItems });
  const share = chance * children;
  return {
    ...times(share, each),
    ...{ chance, ...probesOf(table, writes), rows: Math.min(1, items), notes: isAhead ? 0 : share },
    seconds: each.seconds,
  };
}

interface Part extends Pick<TickShape, 'allItems'> {
  readonly items: number;
  readonly shards: number;
}

function watch(table: SweptTable, { items, shards, allItems }: Part): Children {
  const { indexedBy, pollSeconds, deleteMode } = table;
  const isPlanned = deleteMode === 'guarded';
  // This calculation assumes that consecutive items are in consecutive shards.
  const gap = (MINUTE * shards) / (items * table.shards);
  const perRound = Math.min(shards, 1 + (shards - 1) * Math.min(1, gap));
  const moments = items === 0 ? 0 : Math.min(MINUTE, items, (items / shards) * perRound);
  const pages = Math.max(1, Math.ceil(items / PAGE_KEYS));
  const polls = isPlanned ? pollsOf(moments, pollSeconds) : MINUTE + 1 + moments;
  const reads = polls === 0 ? pages : polls;
  const keys = indexedBy === 'second' ? keysBySecond(polls, pollSeconds || 1) : shards * reads;
  // At the boundary of two windows, both windows are read.
  const besides = indexedBy === 'second' ? 0 : (2 * shards) / table.granularityMinutes;
  const deletes = moments * Math.ceil(items / Math.max(1, moments) / CHUNK_KEYS) + (pages - 1);
  const early = pollSeconds > 0 || !isPlanned ? 0 : MINUTE / Math.min(MINUTE, Math.max(1, allItems));
  // DynamoDB's clock may be behind by the duration of the index queries, so planned deletes wait for this additional time.
  const sureMs = readMs(Math.min(KEYS_AT_ONCE, keys / reads + besides));
  const follows = polls === 0 ? 1 - 1 / pages : moments * pollSeconds > MINUTE ? 1 : 0;
  const waitMs = isPlanned ? sureMs + follows * FOLLOWING_PAGE_MS : JOURNAL_MS;
  return {
    seconds: MINUTE - TICK_LATE_SECONDS + MINUTE - early + CHILD_SECONDS,
    queries: reads + (polls === 0 ? 1 : 0),
    deletes,
    ...{ deleteSeconds: moments, asking: deletes },
    readsMs: reads * readMs(keys / reads) + besides * READ_MS.processorMs,
    waitsMs: deletes * waitMs,
    readUnits: keys * unitsOfQuery(items / keys) + besides * unitsOfQuery(0),
  };
}

/** Number of calls of QueryExpired by a child that reads `every` seconds ahead, with the call that ends the child; 0 if `every` is 0. */
function pollsOf(moments: number, every: number): number {
  if (every === 0) return 0;
  if (moments < 1) return MINUTE / every + 1 + moments;
  const gap = MINUTE / moments;
  return MINUTE / (gap <= every ? gap * Math.floor(every / gap) : gap / Math.ceil(gap / every)) + 2;
}

function keysBySecond(polls: number, every: number): number {
  return polls === 0 ? MINUTE + 1 : MINUTE + 1 + (polls - 1) * every;
}

function sweepBack({ indexedBy }: SweptTable, { items, shards }: Part): Children {
  const pages = Math.ceil(items / PAGE_KEYS);
  const keys = indexedBy === 'second' ? BACK_KEYS : pages * shards;
  const deletes = Math.ceil(items / CHUNK_KEYS);
  // Only the chunks of the first page read the pauses. Chunks of later pages follow within a second, and use the pauses in memory.
  const asking = Math.min(deletes, PAGE_KEYS / CHUNK_KEYS);
  return {
    seconds: ((2 + pages) * CHILD_SECONDS) / 2,
    queries: 1 + pages,
    deletes,
    ...{ deleteSeconds: 1, asking },
    readsMs: readMs(keys),
    waitsMs: asking * JOURNAL_MS,
    readUnits: keys * unitsOfQuery(items / keys),
  };
}

function longest(swept: readonly TableSweep[]): number {
  let [seconds, noneBefore] = [0, 1];
  for (const { chance, seconds: own } of swept.toSorted((one, other) => other.seconds - one.seconds)) {
    seconds += noneBefore * chance * own;
    noneBefore *= 1 - chance;
  }
  return seconds;
}

function executionGbSeconds(seconds: number): number {
  if (seconds === 0) return 0;
  return Math.ceil(seconds / EXECUTION_STEP_SECONDS) * EXECUTION_STEP_SECONDS * EXECUTION_GB;
}

function probesOf(table: SweptTable, writes: number): Pick<TableSweep, 'probes' | 'probesInTurn'> {
  const { indexedBy, granularityMinutes, shards, precision, pollSeconds } = table;
  const isMinute = precision === 'minute';
  const isAhead = !isMinute && pollSeconds === 0;
  const found = Math.min(1, itemsOf(table) / shards);
  if (indexedBy === 'second') {
    const back = isMinute ? (1 - found) * BACK_KEYS + found * 2 * KEYS_AT_ONCE : BACK_KEYS;
    const ahead = isAhead ? (1 - found) * MINUTE + found * KEYS_AT_ONCE : 0;
    return { probes: back + ahead, probesInTurn: (back + ahead) / KEYS_AT_ONCE };
  }
  const edges = 1 / granularityMinutes;
  // In a window's first ten minutes the lookback also queries the previous window, where earlier versions put the window's first TTL.
  const back = 1 + edges * (2 - writes + (isMinute ? 1 : 0)) + Math.min(1, 10 * edges);
  // If a window contains the lookback and the upcoming minute, one query is enough, unless it finds an item before the upcoming minute.
  const waiting = found * (1 - TICK_LATE_SECONDS / MINUTE);
  const ahead = isAhead ? 2 * edges + (1 - edges) * waiting : 0;
  return { probes: shards * (back + ahead), probesInTurn: 1 + Math.min(1, ahead) };
}

function gbSeconds(milliseconds: number): number {
  return (milliseconds / 1000) * (FUNCTION_MEMORY_MB / 1024);
}

export function sum<Each>(list: readonly Each[], of: (each: Each) => number): number {
  return list.reduce((total, each) => total + of(each), 0);
}

function times<Of extends object>(factor: number, amounts: Of): Of {
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, amount * factor])) as Of;
}

export const writeUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / 1024));

/** Read units of a consistent read of items with this total size. An eventually consistent read takes half. */
export const readUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / 4096));
