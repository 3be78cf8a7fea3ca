import {
  CALL_MS,
  ENTRY_BYTES,
  FUNCTION_MEMORY_MB,
  JOURNAL_MS,
  READ_MS,
  TICK_LATE_SECONDS,
  WATERMARK_BYTES,
} from './assumptions.ts';
import { readUnits, writeUnits } from './item-size.ts';

/** The settings of a table that decide the cost of its sweep. */
export interface SweepShape {
  readonly indexedBy: 'window' | 'second';
  /** Length of a window in minutes. */
  readonly granularityMinutes: number;
  readonly shards: number;
  readonly precisionSeconds: number;
  readonly pollSeconds: number;
  /** In batch mode no delete is planned ahead. */
  readonly deleteMode: 'guarded' | 'batch';
  readonly lookbackMinutes: number;
}

/** A table of a deployment, and its load. */
export interface SweptTable extends SweepShape {
  readonly itemsPerMonth: number;
  /** Lifetime of an item in hours, which determines the number of index entries. */
  readonly lifetimeHours: number;
}

/** Tables that are swept together. */
export interface SweptDeployment {
  readonly tables: readonly SweptTable[];
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

const PLAIN_MODE_SECONDS = 60;
/** Seconds of a minute. */
const MINUTE = 60;

/** Most targets of one execution, and most children of a table. */
const TICK_TARGETS = 40;

/** Seconds before the upcoming minute at which further executions are started. */
const PART_LEAD_SECONDS = 15;

/** Shards of an upcoming minute that one child sweeps: an iteration of the execution's Map. */
const SHARDS_OF_CHILD = 8;

/** Keys of a chunk and of a page. */
const CHUNK_KEYS = 25;
const PAGE_KEYS = 1000;

/** Memory that Step Functions bills an execution, GB: one step of 64 MB. */
const EXECUTION_GB = 64 / 1024;
/** Step in which an execution's duration is billed, seconds. */
const EXECUTION_STEP_SECONDS = 0.1;
/** Duration of a child without its waits, seconds. */
const CHILD_SECONDS = 0.1;

/** Shortest window, in minutes, that the lookback (the search of the minutes before) usually shares with the upcoming minute. */
const SHARED_WINDOW_MINUTES = 3;

/** Entries that a poll requests: this share of the due ones, plus this number; at least as many as half a read unit covers. */
const READ_AHEAD = { share: 1.25, entries: 10, atLeast: 36 } as const;

/** Seconds for which a poll plans the deletes of entries that it has read. */
const PLANNED_SECONDS = 30;

/** Read units of an eventually consistent query. */
const unitsOfQuery = (entries: number): number => readUnits(entries * ENTRY_BYTES) / 2;

/**
 * Usage of a month's ticks when the same number of items expires in each minute. With less than one item per minute, that share of the
 * minutes has one. The sweep's work is counted like in `npm run bench cost`, which runs the real definition; test/lab/experiments compares
 * the two.
 */
export function usageOfMonth(deployment: SweptDeployment): SweepUsage {
  return times(TICKS_A_MONTH, tick(deployment));
}

/**
 * Usage of one tick of a deployment: one execution plans all tables, and the children of up to 40 targets are iterations of its Map; more
 * targets need further executions. Each table has items in a minute with its own probability.
 */
function tick({ tables }: SweptDeployment): SweepUsage {
  const swept = tables.map(sweepOfTable);
  const probes = sum(swept, each => each.probes);
  const waits = 2 + Math.max(0, ...swept.map(({ probesInTurn }) => probesInTurn));
  const planMs =
    CALL_MS + 2 * JOURNAL_MS + probes * READ_MS.processorMs + waits * (READ_MS.ms - READ_MS.processorMs);
  const sweeping = 1 - swept.reduce((none, { chance }) => none * (1 - chance), 1);
  const executions = Math.max(1, sum(swept, ({ targets }) => targets) / TICK_TARGETS);
  const isSteady = swept.every(({ chance }) => chance === 0 || chance === 1);
  const started = isSteady ? Math.ceil(executions) : executions;
  const recorded = sweeping * started;
  const calls = sum(swept, ({ queries, deletes }) => queries + deletes) + recorded;
  const reads = sum(swept, each => each.reads);
  const rows = sum(swept, ({ rowsPerTick }) => rowsPerTick);
  const planSeconds = planMs / 1000;
  // Without due items the watermarks are written every other minute.
  const quiet = tables.every(({ indexedBy }) => indexedBy === 'window') ? 1 - sweeping : 0;
  return {
    starts: 1,
    expressRequests: started,
    expressGbSeconds:
      (1 - sweeping) * executionGbSeconds(planSeconds) +
      executionGbSeconds(longest(swept)) +
      // The further executions begin shortly before the minute, or right after the plan if a table is in the plain mode, and end with the
      // minute.
      (started - 1) *
        executionGbSeconds(Math.max(0, longest(swept) - Math.max(planSeconds, waitsForParts(tables)))),
    functionInvocations: 1 + calls,
    functionGbSeconds: gbSeconds(
      // A planned delete waits until DynamoDB's second has certainly begun: as long as its poll waited for the answer.
      planMs +
        calls * CALL_MS +
        (reads + sum(swept, each => each.planned)) * READ_MS.ms +
        Math.min(rows, recorded) * JOURNAL_MS,
    ),
    dynamoDbReadUnits:
      probes * unitsOfQuery(0) + sum(swept, ({ readUnits }) => readUnits) + journalUnits(tables).read,
    // A row takes less than a kilobyte.
    dynamoDbWriteUnits: journalUnits(tables).written * (1 - quiet / 2) + rows,
    recordedSweeps: recorded,
    sweptTables: rows,
  };
}

/** Seconds after its start at which a tick begins its further executions; 0: directly after planning. */
function waitsForParts(tables: readonly SweptTable[]): number {
  return tables.some(isPlain) ? 0 : MINUTE - TICK_LATE_SECONDS - PART_LEAD_SECONDS;
}

/** The average work of a tick for one of its tables. */
interface TableSweep extends Children {
  /** Probability that the table has anything to sweep in a minute. */
  readonly chance: number;
  /** Number of children. */
  readonly targets: number;
  readonly probes: number;
  /** Number of consecutive probes (queries by which the plan looks for due items); probes of other tables run at the same time. */
  readonly probesInTurn: number;
  /** Rows of the journal for minutes in which something expired. */
  readonly rowsPerTick: number;
}

function sweepOfTable(table: SweptTable): TableSweep {
  const items = table.itemsPerMonth / TICKS_A_MONTH;
  const isWatched = table.pollSeconds > 0;
  const wanted = isPlain(table) ? table.shards : Math.ceil(table.shards / SHARDS_OF_CHILD);
  // If a table has more shards, each child takes more of them.
  const children = Math.min(wanted, TICK_TARGETS);
  const shardsOfChild = table.shards / children;
  const ofChild = items / children;
  const swept = isWatched ? children : children * Math.min(1, ofChild);
  // A child that runs because something is due has at least one item.
  const own = isWatched ? ofChild : Math.max(1, ofChild);
  const childrenOf = (expiring: number) =>
    isPlain(table) ? plainSweep(table, expiring) : watch({ ...table, shards: children }, expiring);
  const of = childrenOf(own);
  const ofShard = items / table.shards;
  // A poll for known items reads only the shards that have them.
  const read =
    isWatched || isPlain(table)
      ? { shards: swept * shardsOfChild, each: of }
      : { shards: table.shards * Math.min(1, ofShard), each: childrenOf(Math.max(1, ofShard)) };
  return {
    chance: isWatched ? 1 : Math.min(1, items),
    targets: swept * of.children,
    probes: probesOfTick(table, ofShard),
    // A minute of seconds is probed until one of them has entries.
    probesInTurn:
      table.indexedBy === 'second' && !isWatched && !isPlain(table) ? (1 - Math.min(1, items)) * MINUTE : 0,
    rowsPerTick: Math.min(1, items),
    children: swept * of.children,
    // Items fall into the shards at random: the child with the table's last item ends last.
    seconds: childrenOf(isWatched ? items : Math.max(1, items)).seconds,
    queries: swept * of.queries,
    deletes: swept * of.deletes,
    planned: swept * of.planned,
    reads: read.shards * read.each.reads,
    readUnits: read.shards * read.each.readUnits,
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

/** Units of the journal: a tick reads the deployment's items, and writes the one with its watermarks. */
function journalUnits(tables: readonly SweptTable[]): { read: number; written: number } {
  const bytes = WATERMARK_BYTES.item + tables.length * WATERMARK_BYTES.table;
  return { read: readUnits(bytes), written: writeUnits(bytes) };
}

/** Usage of the child of a shard, or in the plain mode of its two children. */
interface Children {
  readonly children: number;
  readonly seconds: number;
  /** Calls of QueryExpired, and of DeleteChunk. */
  readonly queries: number;
  readonly deletes: number;
  /** Deletes that a poll planned ahead. */
  readonly planned: number;
  /** Consecutive queries of the index. */
  readonly reads: number;
  readonly readUnits: number;
}

/** Usage of the child that runs through the upcoming minute. @param items number of items of its shard */
function watch(shape: SweepShape, items: number): Children {
  const { indexedBy, precisionSeconds } = shape;
  const spans = MINUTE / precisionSeconds;
  // With polls that are several seconds apart, one is at each end of the minute.
  const most = precisionSeconds === 1 ? spans : spans + 1;
  const moments = Math.min(items, most);
  const ofMoment = moments === 0 ? 0 : items / moments;
  const step = stepOf(shape, items, moments);
  const queries = pollsOf(shape, items, step) + moments * Math.floor(ofMoment / PAGE_KEYS);
  const bySecond = indexedBy === 'second';
  const toTheEnd = shape.pollSeconds > 0 || moments > spans;
  // By window the child ends with the last item that it knows; by second with the last second.
  const early = bySecond ? precisionSeconds : MINUTE / Math.max(1, moments);
  const lasts = toTheEnd ? MINUTE : MINUTE - early;
  // The last call of a child without known items only adds up.
  const polls = shape.pollSeconds > 0 ? queries : queries - 1;
  const reads = bySecond ? MINUTE : polls + windowsOfMinute(shape) - 1;
  const machinePolls = bySecond && precisionSeconds === 1;
  const filled = bySecond ? MINUTE : moments / step;
  const entries = bySecond ? items / MINUTE : ofMoment * READ_AHEAD.share + READ_AHEAD.entries;
  return {
    children: 1,
    seconds: MINUTE - TICK_LATE_SECONDS + lasts + CHILD_SECONDS,
    queries,
    deletes: moments * Math.ceil(ofMoment / CHUNK_KEYS),
    planned: moments - moments / step,
    // Polls by the state machine itself use no time of a function.
    reads: machinePolls ? queries - 1 : reads,
    readUnits: filled * unitsOfQuery(Math.min(items, entries)) + (reads - filled) * unitsOfQuery(0),
  };
}

/** Average number of delete moments that one poll covers, taken or planned, when this many are spread over the minute. */
function stepOf(
  { indexedBy, precisionSeconds, pollSeconds, deleteMode, shards }: SweepShape,
  items: number,
  moments: number,
): number {
  if (indexedBy === 'second' || deleteMode === 'batch' || items < 1) return 1;
  const gap = Math.max(MINUTE / items, precisionSeconds);
  const read = Math.max(READ_AHEAD.atLeast, (items / moments) * READ_AHEAD.share + READ_AHEAD.entries);
  // The last second that it has read may have more entries.
  const known = Math.floor(((read - 1) * shards * MINUTE) / items) - 1;
  const ahead = Math.min(PLANNED_SECONDS, known, pollSeconds > 0 ? pollSeconds - 1 : PLANNED_SECONDS);
  return moments / Math.ceil(moments / (1 + Math.floor(ahead / gap)));
}

/**
 * Number of calls of QueryExpired in a minute, the last of which ends the child.
 *
 * @param step delete moments that each poll covers
 */
function pollsOf(
  { indexedBy, precisionSeconds, pollSeconds, shards }: SweepShape,
  items: number,
  step: number,
): number {
  const spans = MINUTE / precisionSeconds;
  const addsUp = precisionSeconds > 1 && items > spans ? 1 : 0;
  if (indexedBy === 'second' && precisionSeconds === 1) return callsBySecond(Math.min(items, spans));
  if (indexedBy === 'second') return spans + 1 + addsUp;
  // The first poll, at the start of the minute, finds an item in only one of the shards; every later poll finds the items that it can plan.
  const first = items < spans && step === 1 ? 1 - 1 / shards : 0;
  if (pollSeconds === 0)
    return Math.min(items, precisionSeconds === 1 ? spans : spans + 1) / step + 1 + first;
  if (items < 1) return MINUTE / pollSeconds + 1 + items;
  const gap = Math.max(MINUTE / items, precisionSeconds);
  return (Math.min(items, spans) / step) * Math.ceil(gap / pollSeconds) + 1 + addsUp;
}

/**
 * Number of calls of QueryExpired by second. The state machine polls until it finds an entry: QueryExpired is called for that second and
 * the next one, which it also polls if it has entries. It begins with the first second.
 */
function callsBySecond(seconds: number): number {
  const share = seconds / MINUTE;
  const afterEmpty = share * (1 - share) * MINUTE;
  return share === 1 ? MINUTE + 1 : 2 + seconds + afterEmpty;
}

/** Usage in the plain mode: one child for the expired items of this minute, and one for the minute before if that is in another window. */
function plainSweep({ indexedBy, granularityMinutes }: SweepShape, items: number): Children {
  const children = Math.min(granularityMinutes < SHARED_WINDOW_MINUTES ? 2 : 1, items);
  const ofChild = items / children;
  const late = (items * TICK_LATE_SECONDS) / MINUTE;
  const reads = indexedBy === 'second' ? MINUTE : children * Math.ceil(ofChild / PAGE_KEYS);
  return {
    children,
    planned: 0,
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

/** Number of probes of the lookback's windows, and of the upcoming minute unless it is always polled. */
function probesOfTick(shape: SweepShape, itemsOfShard: number): number {
  const back = probesBack(shape, shape.lookbackMinutes);
  const { indexedBy, shards } = shape;
  const found = Math.min(1, itemsOfShard);
  if (isPlain(shape)) {
    // A minute of seconds is probed until one of them has entries; its child reads the others.
    return indexedBy === 'second' ? back - found * MINUTE + found : back + shards / shape.granularityMinutes;
  }
  if (shape.pollSeconds > 0) return back;
  if (indexedBy === 'second') return back + (1 - found) * MINUTE + found;
  // One probe covers the lookback and the upcoming minute; if it finds an item of the lookback, a second one covers only the minute.
  if (shape.granularityMinutes >= SHARED_WINDOW_MINUTES) return back + shards * found;
  return back + shards * windowsOfMinute(shape);
}

/**
 * Average number of windows that may have items of a minute: a minute at the start of a window also has the window before, for items
 * stamped in the older way. Only the first poll reads both.
 */
function windowsOfMinute({ granularityMinutes }: SweepShape): number {
  return 1 + 1 / granularityMinutes;
}

/** Number of probes of the lookback: by window and shard, or by second. */
function probesBack({ indexedBy, granularityMinutes, shards }: SweepShape, minutes: number): number {
  return indexedBy === 'second' ? minutes * 60 + 1 : (minutes / granularityMinutes + 1) * shards;
}

function gbSeconds(milliseconds: number): number {
  return (milliseconds / 1000) * (FUNCTION_MEMORY_MB / 1024);
}

function sum<Each>(list: readonly Each[], of: (each: Each) => number): number {
  return list.reduce((total, each) => total + of(each), 0);
}

function times(factor: number, usage: SweepUsage): SweepUsage {
  const scaled = Object.entries(usage).map(([name, amount]) => [name, amount * factor]);
  return Object.fromEntries(scaled) as unknown as SweepUsage;
}
