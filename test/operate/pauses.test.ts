/** @jest-environment ./test/support/dynamodb-environment.ts */
import fc from 'fast-check';
import { journalOf } from '../../functions/journal/lambda-journal.ts';
import { readState } from '../../functions/journal/read-state.ts';
import type { JournalTable } from '../../functions/journal/update-entry.ts';
import { pauseTable, resumeTable } from '../../operate/pauses.ts';
import { createJournal } from '../support/journal-table.ts';
import { useLocalDynamoDb } from '../support/local-dynamodb.ts';

const dynamo = useLocalDynamoDb();
const time = (minutes: number) => new Date(Date.UTC(2026, 10, 20, 9, minutes)).toISOString();
const pauses = async (journal: JournalTable) => (await readState(journal)).control.pauses;

test('a table is paused since its first pause, until its last word', async () => {
  const journal = await createJournal(dynamo.client);
  await expect(pauseTable(journal, 'orders', { since: time(0) })).resolves.toBeUndefined();
  await expect(pauseTable(journal, 'orders', { since: time(5), until: time(30) })).resolves.toEqual({
    since: time(0),
  });
  await expect(pauses(journal)).resolves.toEqual({ orders: { since: time(0), until: time(30) } });
  await pauseTable(journal, 'orders', { since: time(10) });
  await expect(pauses(journal)).resolves.toEqual({ orders: { since: time(0) } });
});

test('a pause that is over is no longer one', async () => {
  const journal = await createJournal(dynamo.client);
  await pauseTable(journal, 'orders', { since: time(0), until: time(5) });
  await expect(pauseTable(journal, 'orders', { since: time(5) })).resolves.toBeUndefined();
  await expect(pauses(journal)).resolves.toEqual({ orders: { since: time(5) } });
});

test('resume tells the pause that it ends', async () => {
  const journal = await createJournal(dynamo.client);
  await expect(resumeTable(journal, 'orders', Date.parse(time(0)))).resolves.toBeUndefined();
  await pauseTable(journal, 'orders', { since: time(0) });
  await expect(resumeTable(journal, 'orders', Date.parse(time(1)))).resolves.toEqual({ since: time(0) });
  await expect(pauses(journal)).resolves.toEqual({});
});

test('the operators and the ticks write beside each other, and nobody loses anything', async () => {
  const writes = fc.record({
    pauses: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }),
    gone: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 5 }),
  });
  const property = fc.asyncProperty(writes, async written => {
    const table = await createJournal(dynamo.client);
    const journal = journalOf(table, () => Date.parse(time(0)));
    await Promise.all([
      ...written.pauses.map(each => pauseTable(table, each, { since: time(0) })),
      // Each table by a tick of its own: the worst case.
      ...written.gone.map(each =>
        journal.writeWatermarks(time(0), { [each]: { since: 1, gone: 9, at: time(0), shards: 1 } }),
      ),
    ]);
    const { control, watermarks } = await readState(table);
    expect(Object.keys(control.pauses).sort()).toEqual(written.pauses.toSorted());
    expect(Object.keys(watermarks.tables).sort()).toEqual(written.gone.toSorted());
  });
  await fc.assert(property, { numRuns: 20 });
});
