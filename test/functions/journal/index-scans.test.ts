/** @jest-environment ./test/support/dynamodb-environment.ts */
import { NOTHING_SCANNED } from '../../../functions/child/scan.ts';
import { journalOf } from '../../../functions/journal/lambda-journal.ts';
import { readState } from '../../../functions/journal/read-state.ts';
import { nextScanAt } from '../../../functions/journal/scan-turn.ts';
import { createJournal } from '../../support/journal-table.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';

const dynamo = useLocalDynamoDb();
const START_MS = Date.UTC(2026, 10, 20, 9);
const START = START_MS / 1000;

/** A journal with a clock that the test turns. */
async function timedJournal() {
  const table = await createJournal(dynamo.client);
  const time = { ms: START_MS };
  const scansAt = async () => ({ ...(await readState(table)).scansAt });
  return { journal: journalOf(table, () => time.ms), time, scansAt };
}

test('the turn of a table is one tick’s, and comes again after an hour in which no scan says that it is under way', async () => {
  const { journal, time, scansAt } = await timedJournal();
  await expect(scansAt()).resolves.toEqual({});
  await expect(journal.takeScanTurn('orders')).resolves.toBe(true);
  await expect(journal.takeScanTurn('orders')).resolves.toBe(false);
  await expect(journal.takeScanTurn('sessions')).resolves.toBe(true);
  time.ms += 1_800_000;
  await journal.takeScan('orders', 'scan');
  await expect(scansAt()).resolves.toEqual({ orders: START + 5_400, sessions: START + 3_600 });
  time.ms += 1_800_000;
  await expect(journal.takeScanTurn('orders')).resolves.toBe(false);
  await expect(journal.takeScanTurn('sessions')).resolves.toBe(true);
});

test('after the end of a scan the next one is due at the turn of the next day, whatever else is set for the table', async () => {
  const { journal, time, scansAt } = await timedJournal();
  await journal.takeHandOver('orders', 500, 'other');
  const { beganAt } = await journal.takeScan('orders', 'scan');
  time.ms += 5 * 3_600_000;
  await journal.finishScan(
    'orders',
    { execution: 'scan', beganAt, before: NOTHING_SCANNED },
    NOTHING_SCANNED,
  );
  await expect(scansAt()).resolves.toEqual({ orders: nextScanAt('orders', START) });
});
