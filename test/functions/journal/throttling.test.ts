/** @jest-environment ./test/support/dynamodb-environment.ts */
import { journalOf } from '../../../functions/journal/lambda-journal.ts';
import { readThrottled } from '../../../functions/journal/throttling.ts';
import { createJournal, useLocalDynamoDb } from '../../support/local-dynamodb.ts';

const dynamo = useLocalDynamoDb();
const START_MS = Date.UTC(2026, 10, 20, 9);

test('what was throttled is added up by table, and is told of for a minute', async () => {
  const table = await createJournal(dynamo.client);
  const time = { ms: START_MS };
  const journal = journalOf(table, () => time.ms);
  const told = (name = 'orders') => readThrottled(table, name, time.ms);
  await expect(told()).resolves.toBe(0);
  await journal.noteThrottled('orders', 40);
  time.ms += 9_000;
  await Promise.all([journal.noteThrottled('orders', 1), journal.noteThrottled('sessions', 7)]);
  time.ms += 20_000;
  await journal.noteThrottled('orders', 500);
  await expect(told()).resolves.toBe(541);
  await expect(told('sessions')).resolves.toBe(7);
  time.ms = START_MS + 60_000;
  await expect(told()).resolves.toBe(541);
  time.ms += 1;
  await expect(told()).resolves.toBe(500);
  time.ms = START_MS + 90_000;
  await expect(told()).resolves.toBe(0);
});
