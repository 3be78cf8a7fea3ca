/** @jest-environment ./test/support/dynamodb-environment.ts */
import { type BatchWriteCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { readRows, wholeReport } from '../../../cli/journal.ts';
import type { SweepRow } from '../../../functions/journal/layout.ts';
import type { JournalTable } from '../../../functions/journal/read-state.ts';
import { putRows } from '../../../functions/journal/write-entries.ts';
import type { Documents } from '../../../functions/table/dynamodb.ts';
import { createJournal } from '../../support/journal-table.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';

const dynamo = useLocalDynamoDb();

const minute = (minutes: number) => new Date(Date.UTC(2026, 10, 20, 9, minutes)).toISOString();

function row(minutes: number, over: Partial<SweepRow> = {}): SweepRow {
  return {
    table: 'orders',
    kind: 'tick',
    execution: `execution-${minutes}`,
    startedAt: minute(minutes),
    endedAt: minute(minutes + 2),
    report: wholeReport({ found: 3, deleted: 2, failed: 1, lagMs: { p50: 10, p99: 20, max: 30 } }),
    ...over,
  };
}

async function rowsOf(journal: JournalTable): Promise<SweepRow[]> {
  const rows: SweepRow[] = [];
  for await (const each of readRows(journal, 'orders')) rows.push(each);
  return rows;
}

test('a row is read as it was written, and stored without what is zero', async () => {
  const journal = await createJournal(dynamo.client);
  const listed = { key: { id: { S: 'a' } }, reason: 'ValidationError' };
  const written = row(0, {
    kind: 'replay',
    report: { ...row(0).report, failedKeys: [listed], failure: { error: 'AccessDenied', message: 'no' } },
  });
  await putRows(journal, [written]);
  await expect(rowsOf(journal)).resolves.toEqual([written]);
  const { Items } = await journal.documents.send(new ScanCommand({ TableName: journal.tableName }));
  expect(Object.keys(Items?.[0]?.['report'] as object).sort()).toEqual(
    ['deleted', 'failed', 'failedKeys', 'failure', 'found', 'lagMs'].sort(),
  );
  // Ninety days after its end.
  expect(Number(Items?.[0]?.['expires'])).toBe(Date.parse(minute(2)) / 1000 + 90 * 86_400);
});

test('the same execution again has one row', async () => {
  const journal = await createJournal(dynamo.client);
  await putRows(journal, [row(0)]);
  await putRows(journal, [row(0), row(1), row(1, { table: 'sessions' })]);
  await expect(rowsOf(journal)).resolves.toEqual([row(1), row(0)]);
});

test('more rows than a batch, and more than a page, are all there', async () => {
  const journal = await createJournal(dynamo.client);
  const failedKeys = [{ keyStart: 'x'.repeat(25_000), reason: 'ValidationError' }];
  const rows = Array.from({ length: 60 }, (_unused, index) =>
    row(index, { report: { ...row(0).report, failedKeys } }),
  );
  await putRows(journal, rows);
  await expect(rowsOf(journal)).resolves.toEqual(rows.toReversed());
});

/** Takes `most` rows of each batch. */
function scarce(
  { documents, tableName }: JournalTable,
  most: number,
): { journal: JournalTable; calls: number[] } {
  const calls: number[] = [];
  const send = async (command: BatchWriteCommand) => {
    const requests = command.input.RequestItems?.[tableName] ?? [];
    calls.push(requests.length);
    const taken = requests.slice(0, most);
    if (taken.length > 0) {
      command.input.RequestItems = { [tableName]: taken };
      await documents.send(command);
    }
    return { UnprocessedItems: { [tableName]: requests.slice(most) } };
  };
  return { journal: { documents: { send: send as Documents['send'] }, tableName }, calls };
}

test('what DynamoDB has no capacity for is written again', async () => {
  const whole = await createJournal(dynamo.client);
  const { journal, calls } = scarce(whole, 10);
  const pauses: number[] = [];
  await putRows(
    journal,
    Array.from({ length: 25 }, (_unused, index) => row(index)),
    async ms => {
      pauses.push(ms);
    },
  );
  await expect(rowsOf(whole)).resolves.toHaveLength(25);
  expect(calls).toEqual([25, 15, 5]);
  expect(pauses).toEqual([50, 200]);
});

test('it is given up at last, and the error says how much', async () => {
  const { journal, calls } = scarce(await createJournal(dynamo.client), 0);
  const writing = putRows(journal, [row(0), row(1)], async () => {});
  await expect(writing).rejects.toThrow(/2 rows are still unprocessed/);
  await expect(writing).rejects.toMatchObject({ name: 'JournalUnwritableError' });
  expect(calls).toHaveLength(4);
});
