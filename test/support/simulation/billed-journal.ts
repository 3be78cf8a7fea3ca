import { marshall } from '@aws-sdk/util-dynamodb';
import { type DynamoDbUsage, NO_USAGE } from '../../../cost/dynamodb-usage.ts';
import { type AttributeMap, itemBytes, readUnits, writeUnits } from '../../../cost/item-size.ts';
import type { Journal } from '../../../functions/journal/journal.ts';
import { DEPLOYMENT_ID, rowItem, tableEntry, WATERMARKS_AT } from '../../../functions/journal/layout.ts';
import type { MemoryJournal } from '../../../lab/fuzz/memory-journal.ts';

/** What the calls of a journal take, and who is told what they would be billed for. */
export interface BilledJournalOptions {
  readonly onUnits: (units: DynamoDbUsage) => void;
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
  const call = async <Answer>(work: () => Promise<Answer>, units: () => Partial<DynamoDbUsage>) => {
    await sleep(callMs);
    const answer = await work();
    onUnits({ ...NO_USAGE, ...units() });
    return answer;
  };
  const written = (items: readonly object[]) => ({
    writeUnits: sum(items, item => writeUnits(bytesOf(item))),
  });
  const watermarks = () => written([watermarksItem(journal)]);
  const read = (items: () => readonly object[]) =>
    call(
      () => journal.read(),
      () => ({ readUnits: readUnits(sum(items(), bytesOf)) }),
    );
  const tableItems = () => Object.keys(journal.pauses).map(table => tableItem(journal, table));
  return {
    read: () => read(() => [...tableItems(), watermarksItem(journal)]),
    writeWatermarks: (...args) => call(() => journal.writeWatermarks(...args), watermarks),
    putRows: async rows => {
      if (rows.length === 0) return;
      await call(
        () => journal.putRows(rows),
        () => written(rows.map(rowItem)),
      );
    },
    replayed: (...args) => call(() => journal.replayed(...args), watermarks),
    isPaused: table => journal.isPaused(table, () => read(tableItems)),
    noteSwept: (...args) => call(() => journal.noteSwept(...args), watermarks),
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

const bytesOf = (item: object): number =>
  itemBytes(marshall(item, { removeUndefinedValues: true }) as AttributeMap);

const sum = (items: readonly object[], of: (item: object) => number): number =>
  items.reduce((total: number, item) => total + of(item), 0);
