import {
  CALL_MS,
  ENTRY_BYTES,
  FUNCTION_MEMORY_MB,
  JOURNAL_MS,
  READ_MS,
  TICK_LATE_SECONDS,
  WATERMARK_BYTES,
} from './assumptions.ts';
import { readUnits, writeUnits } from './capacity-units.ts';

/** The settings of a table that decide the cost of its sweep, and its load. */
export interface SweptTable {
  readonly indexedBy: 'window' | 'second';
  /** Length of a window in minutes. */
  readonly granularityMinutes: number;
  readonly shards: number;
  /** `'minute'`: nothing is read ahead. */
  readonly precision: 'second' | 'minute';
  readonly pollSeconds: number;
  /** In batch mode no delete is planned ahead. */
  readonly deleteMode: 'guarded' | 'batch';
  readonly itemsPerMonth: number;
}

/** Usage of executions, in the units that are billed. */
export interface SweepUsage {
  /** Starts by EventBridge Scheduler. */
  readonly starts: number;
  readonly expressRequests: number;
  readonly expressGbSeconds: number;
  readonly functionInvocations: number;
  readonly functionGbSeconds: number;
  /** Reads of the indexes and of the journal. */
  readonly dynamoDbReadUnits: number;
  /** Writes to the journal. */
  readonly dynamoDbWriteUnits: number;
  /** Executions that log their plan and a document of metrics. */
  readonly recordedSweeps: number;
  /** Tables from which an execution deleted items: each adds a log line and a row of the journal. */
  readonly sweptTables: number;
}

/** Ticks of a month of 30 days, like in the benchmarks. */
export const TICKS_A_MONTH = 43_200;

/** Seconds of a minute. */
const MINUTE = 60;

/** Seconds for which DeleteChunk keeps the pauses that it read. */
const PAUSES_KEPT = 2;

/** Shards that one child of an upcoming minute sweeps; most children of a tick; and of the lookback of a table. */
const SHARDS_OF_CHILD = 4;
const TICK_CHILDREN = 400;
const BACK_CHILDREN = 8;

/** Keys of a chunk and of a page, and keys of the index that are read at once. */
const CHUNK_KEYS = 25;
const PAGE_KEYS = 1000;
const KEYS_AT_ONCE = 10;

/** By second: keys of a tick's lookback, which begins ten seconds before the watermark. */
const BACK_KEYS = MINUTE + 10;

/** Memory that Step Functions bills an execution, GB: one step of 64 MB. */
const EXECUTION_GB = 64 / 1024;
/** Step in which an execution's duration is billed, seconds. */
const EXECUTION_STEP_SECONDS = 0.1;
/** Duration of a child without its waits, seconds. */
const CHILD_SECONDS = 0.1;

/**
 * Milliseconds by which a page that follows deletes knows less well when DynamoDB's second begins: it was read within a second, not at its
 * beginning. Seen in the simulation.
 */
const FOLLOWING_PAGE_MS = 75;

/** Read units of an eventually consistent query. */
const unitsOfQuery = (entries: number): number => readUnits(entries * ENTRY_BYTES) / 2;

/** Milliseconds of queries, several of which run at once. */
const readMs = (queries: number): number =>
  queries * READ_MS.processorMs + Math.ceil(queries / KEYS_AT_ONCE) * (READ_MS.ms - READ_MS.processorMs);

/**
 * Usage of a month's ticks when the same number of items expires in each minute, evenly in time and in turn over the shards. With less than
 * one item per minute, that share of the minutes has one. The sweep's work is counted like in `npm run bench cost`, which runs the real
 * definition; test/bench/experiments compares the two.
 */
export function usageOfMonth(tables: readonly SweptTable[]): SweepUsage {
  return times(TICKS_A_MONTH, tick(tables));
}

/** Usage of one tick of tables that are swept together. Each has items in a minute with its own probability. */
function tick(tables: readonly SweptTable[]): SweepUsage {
  const wanted = sum(tables, ({ shards }) => Math.ceil(shards / SHARDS_OF_CHILD));
  const shardsOfChild = SHARDS_OF_CHILD * Math.max(1, 2 ** Math.ceil(Math.log2(wanted / TICK_CHILDREN)));
  const chances = tables.map(chanceOf);
  const sweeping = 1 - chances.reduce((none, chance) => none * (1 - chance), 1);
  // Without due items the watermarks are written every other minute.
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
      probes * unitsOfQuery(0) +
      sum(swept, each => each.readUnits) +
      // A consistent read of no pauses is one unit.
      readsOfPauses(swept) +
      readUnits(bytes),
    // A row takes less than a kilobyte.
    dynamoDbWriteUnits: (writes + notes) * writeUnits(bytes) + rows,
    recordedSweeps: sweeping,
    sweptTables: rows,
  };
}

/**
 * Reads of the pauses in a minute. Deletes of the same second run at once, in as many processes, and each of these reads when what it has
 * kept is too old.
 */
function readsOfPauses(swept: readonly TableSweep[]): number {
  const slots = MINUTE / PAUSES_KEPT;
  const taken = (of: number) =>
    of * (1 - swept.reduce((none, { deleteSeconds }) => none * (1 - Math.min(1, deleteSeconds / of)), 1));
  const calls = sum(swept, ({ asking }) => asking);
  return calls === 0 ? 0 : (taken(slots) * calls) / taken(MINUTE);
}

/** The average work of a tick for one of its tables; `seconds` is that of one of its executions. */
interface TableSweep extends Children {
  /** Probability that the table has anything to sweep in a minute. */
  readonly chance: number;
  readonly probes: number;
  /** Number of probes that follow each other; those of other tables and shards run at the same time. */
  readonly probesInTurn: number;
  /** Rows of the journal. */
  readonly rows: number;
  /** Notes of children in the journal of what they swept. */
  readonly notes: number;
}

/** Usage of all children of a table. */
interface Children {
  /** Duration of the execution for the one that ends last. */
  readonly seconds: number;
  /** Calls of QueryExpired, and of DeleteChunk. */
  readonly queries: number;
  readonly deletes: number;
  /** Number of seconds of the minute in which items are deleted, and of the deletes that begin in them. */
  readonly deleteSeconds: number;
  readonly asking: number;
  /** Milliseconds of their reads of the index, and those for which deletes wait for their moment, or read the journal. */
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
  /** Writes of the watermarks in a tick. */
  readonly writes: number;
  /** Items of all tables in a minute. */
  readonly allItems: number;
}

function sweepOfTable(table: SweptTable, { shardsOfChild, writes, allItems }: TickShape): TableSweep {
  const { shards, pollSeconds, precision } = table;
  const items = itemsOf(table);
  const isWatched = pollSeconds > 0;
  const chance = chanceOf(table);
  // A minute that is swept has an item, unless it is always watched.
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

/** The part of a table that a child sweeps. */
interface Part extends Pick<TickShape, 'allItems'> {
  /** Items of its minute. */
  readonly items: number;
  readonly shards: number;
}

/** Usage of a child that runs through the upcoming minute. */
function watch(table: SweptTable, { items, shards, allItems }: Part): Children {
  const { indexedBy, pollSeconds, deleteMode } = table;
  const isPlanned = deleteMode === 'guarded';
  // Items that follow each other are in shards that follow each other.
  const gap = (MINUTE * shards) / (items * table.shards);
  const perRound = Math.min(shards, 1 + (shards - 1) * Math.min(1, gap));
  const moments = items === 0 ? 0 : Math.min(MINUTE, items, (items / shards) * perRound);
  const pages = Math.max(1, Math.ceil(items / PAGE_KEYS));
  const polls = isPlanned ? pollsOf(moments, pollSeconds) : MINUTE + 1 + moments;
  const reads = polls === 0 ? pages : polls;
  const keys = indexedBy === 'second' ? keysBySecond(polls, pollSeconds || 1) : shards * reads;
  // Windows that begin with the minute, or after it, are read too.
  const besides = indexedBy === 'second' ? 0 : (2 * shards) / table.granularityMinutes;
  const deletes = moments * Math.ceil(items / Math.max(1, moments) / CHUNK_KEYS) + (pages - 1);
  // The child with the last item of all tables, which take turns, ends last.
  const early = pollSeconds > 0 || !isPlanned ? 0 : MINUTE / Math.min(MINUTE, Math.max(1, allItems));
  // A planned delete waits until DynamoDB's second has certainly begun: as long as its query waited for the answer.
  const sureMs = readMs(Math.min(KEYS_AT_ONCE, keys / reads + besides));
  const follows = polls === 0 ? 1 - 1 / pages : moments * pollSeconds > MINUTE ? 1 : 0;
  const waitMs = isPlanned ? sureMs + follows * FOLLOWING_PAGE_MS : JOURNAL_MS;
  return {
    seconds: MINUTE - TICK_LATE_SECONDS + MINUTE - early + CHILD_SECONDS,
    // The last call only adds up.
    queries: reads + (polls === 0 ? 1 : 0),
    deletes,
    ...{ deleteSeconds: moments, asking: deletes },
    readsMs: reads * readMs(keys / reads) + besides * READ_MS.processorMs,
    waitsMs: deletes * waitMs,
    readUnits: keys * unitsOfQuery(items / keys) + besides * unitsOfQuery(0),
  };
}

/**
 * Number of calls of QueryExpired of a child that reads a few seconds ahead, with the one that ends it; 0: it reads the whole minute at
 * once.
 */
function pollsOf(moments: number, every: number): number {
  if (every === 0) return 0;
  if (moments < 1) return MINUTE / every + 1 + moments;
  const gap = MINUTE / moments;
  return MINUTE / (gap <= every ? gap * Math.floor(every / gap) : gap / Math.ceil(gap / every)) + 2;
}

/** By second: keys that a child reads. Each read begins behind the second that is over for certain. */
function keysBySecond(polls: number, every: number): number {
  return polls === 0 ? MINUTE + 1 : MINUTE + 1 + (polls - 1) * every;
}

/** Usage of a child that sweeps what has expired in the minute before. */
function sweepBack({ indexedBy }: SweptTable, { items, shards }: Part): Children {
  const pages = Math.ceil(items / PAGE_KEYS);
  const keys = indexedBy === 'second' ? BACK_KEYS : pages * shards;
  const deletes = Math.ceil(items / CHUNK_KEYS);
  // Those of the first page: the others follow within a second.
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

/** Average duration of an execution whose tables have items with these probabilities, seconds; 0 if none has any. */
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

/** The queries by which a tick's plan looks for items: of the lookback, and of the upcoming minute unless it is always watched. */
function probesOf(table: SweptTable, writes: number): Pick<TableSweep, 'probes' | 'probesInTurn'> {
  const { indexedBy, granularityMinutes, shards, precision, pollSeconds } = table;
  const isMinute = precision === 'minute';
  const isAhead = !isMinute && pollSeconds === 0;
  const found = Math.min(1, itemsOf(table) / shards);
  if (indexedBy === 'second') {
    // Keys are read until one has an entry.
    const back = isMinute ? (1 - found) * BACK_KEYS + found * 2 * KEYS_AT_ONCE : BACK_KEYS;
    const ahead = isAhead ? (1 - found) * MINUTE + found * KEYS_AT_ONCE : 0;
    return { probes: back + ahead, probesInTurn: (back + ahead) / KEYS_AT_ONCE };
  }
  const edges = 1 / granularityMinutes;
  // A lookback goes back to the start of its window, but not for more than ten minutes, and there reads the window before, too.
  const back = 1 + edges * (2 - writes + (isMinute ? 1 : 0)) + Math.min(1, 10 * edges);
  // One query tells of both spans, but in a minute in which items wait for their delete.
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
