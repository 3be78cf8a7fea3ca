import type { MemoryJournal } from '../../../bench/fuzz/memory-journal.ts';
import { readUnits, writeUnits } from '../../../cost/sweep-usage.ts';
import type { Journal } from '../../../functions/journal/lambda-journal.ts';
import { DEPLOYMENT_ID, rowItem, tableEntry, WATERMARKS_AT } from '../../../functions/journal/layout.ts';

/** Names of an execution's counters in its `billing.usage`. */
export type UnitCounter = 'dynamoDbReadUnits' | 'dynamoDbWriteUnits';

/** What the calls of a journal take, and who is told what they would be billed for. */
export interface BilledJournalOptions {
  readonly onUnits: ((counter: UnitCounter, units: number) => void) | undefined;
  readonly sleep: (ms: number) => Promise<void>;
  /** Milliseconds of each call. */
  readonly callMs: number;
}

/**
 * A journal in memory whose calls take time, and units as DynamoDB bills them: a consistent query of all that the deployment has, and
 * writes of whole items.
 */
export function billedJournal(
  journal: MemoryJournal,
  { onUnits, sleep, callMs }: BilledJournalOptions,
): Journal {
  const call = async <Answer>(work: () => Promise<Answer>, counter: UnitCounter, units: () => number) => {
    await sleep(callMs);
    const answer = await work();
    onUnits?.(counter, units());
    return answer;
  };
  const write = <Answer>(work: () => Promise<Answer>, items: () => readonly object[]) =>
    call(work, 'dynamoDbWriteUnits', () => sum(items(), item => writeUnits(bytesOf(item))));
  const read = (items: () => readonly object[]) =>
    call(
      () => journal.read(),
      'dynamoDbReadUnits',
      () => readUnits(sum(items(), bytesOf)),
    );
  const watermarks = () => [watermarksItem(journal)];
  const tableItems = () => Object.keys(journal.pauses).map(table => tableItem(journal, table));
  return {
    read: () => read(() => [...tableItems(), ...watermarks()]),
    writeWatermarks: (...args) => write(() => journal.writeWatermarks(...args), watermarks),
    putRows: async rows => {
      if (rows.length === 0) return;
      await write(
        () => journal.putRows(rows),
        () => rows.map(rowItem),
      );
    },
    replayed: (...args) => write(() => journal.replayed(...args), watermarks),
    isPaused: table => journal.isPaused(table, () => read(tableItems)),
    noteSwept: (...args) => write(() => journal.noteSwept(...args), watermarks),
  };
}

function tableItem({ pauses }: MemoryJournal, table: string): object {
  return { id: DEPLOYMENT_ID, at: tableEntry(table), pause: pauses[table] };
}

function watermarksItem({ state }: MemoryJournal): object {
  const { tick, tables } = state.watermarks;
  const marks = Object.entries(tables).map(([table, mark]) => [tableEntry(table), mark]);
  return { id: DEPLOYMENT_ID, at: WATERMARKS_AT, tick, ...Object.fromEntries(marks) };
}

/**
 * Bytes of an item by DynamoDB's rules (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html):
 * names and strings by their UTF-8, a number about one byte for two digits and one more, lists and maps three bytes and one for each
 * member.
 */
const bytesOf = (item: object): number =>
  sum(Object.entries(item), ([name, value]) =>
    value === undefined ? 0 : Buffer.byteLength(name) + valueBytes(value),
  );

function valueBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') {
    const digits = String(value)
      .replaceAll(/\D/g, '')
      .replace(/^0+|0+$/g, '');
    return Math.ceil(digits.length / 2) + (value < 0 ? 2 : 1);
  }
  if (Array.isArray(value)) return 3 + sum(value, each => 1 + valueBytes(each));
  // NULL and BOOL
  if (value === null || typeof value !== 'object') return 1;
  const members = Object.values(value).filter(each => each !== undefined);
  return 3 + members.length + bytesOf(value);
}

const sum = <Each>(items: readonly Each[], of: (each: Each) => number): number =>
  items.reduce((total, each) => total + of(each), 0);
