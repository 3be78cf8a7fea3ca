/** @jest-environment ./test/support/dynamodb-environment.ts */
import fc from 'fast-check';
import { journalOf } from '../../../functions/journal/lambda-journal.ts';
import { liveHandOver } from '../../../functions/journal/layout.ts';
import { pauseTable, resumeTable } from '../../../functions/journal/operator-settings.ts';
import { readState } from '../../../functions/journal/read-state.ts';
import { createJournal, useLocalDynamoDb } from '../../support/local-dynamodb.ts';

const dynamo = useLocalDynamoDb();
const START_MS = Date.UTC(2026, 10, 20, 9);

/** A journal with a clock that the test turns. */
async function timedJournal() {
  const table = await createJournal(dynamo.client);
  const time = { ms: START_MS };
  const journal = journalOf(table, () => time.ms);
  const live = async () => liveHandOver(await readState(table), 'orders', time.ms);
  return { table, journal, time, live };
}

test('the first one has it, until it ends', async () => {
  const { journal, live } = await timedJournal();
  await expect(journal.takeHandOver('orders', 500, 'first')).resolves.toBe(true);
  await expect(journal.takeHandOver('orders', 900, 'second')).resolves.toBe(false);
  await expect(live()).resolves.toMatchObject({ before: 500, execution: 'first' });
  // A function that is called once more is answered as before.
  await expect(journal.takeHandOver('orders', 500, 'first')).resolves.toBe(true);
  // Another table's is its own.
  await expect(journal.takeHandOver('sessions', 900, 'second')).resolves.toBe(true);
  await journal.endHandOver('orders', 'second');
  await expect(live()).resolves.toMatchObject({ execution: 'first' });
  await journal.endHandOver('orders', 'first');
  await expect(live()).resolves.toBeUndefined();
  await expect(journal.takeHandOver('orders', 900, 'second')).resolves.toBe(true);
});

test('one that never began is over after five minutes, one that works after half an hour', async () => {
  const { journal, time, live } = await timedJournal();
  await journal.takeHandOver('orders', 500, 'first');
  time.ms += 299_000;
  await expect(live()).resolves.toBeDefined();
  await expect(journal.renewHandOver('orders', 'first')).resolves.toBe(true);
  time.ms += 1_799_000;
  await expect(journal.takeHandOver('orders', 900, 'second')).resolves.toBe(false);
  time.ms += 1_000;
  await expect(live()).resolves.toBeUndefined();
  await expect(journal.takeHandOver('orders', 900, 'second')).resolves.toBe(true);
  await expect(journal.renewHandOver('orders', 'first')).resolves.toBe(false);
});

test('a late one goes on when nobody has taken it over', async () => {
  const { journal, time, live } = await timedJournal();
  await journal.takeHandOver('orders', 500, 'first');
  time.ms += 600_000;
  await expect(journal.renewHandOver('orders', 'first')).resolves.toBe(true);
  await expect(live()).resolves.toMatchObject({ before: 500, execution: 'first' });
});

test('a paused table hands nothing over, and what was handed over ends', async () => {
  const { table, journal, time } = await timedJournal();
  await journal.takeHandOver('orders', 500, 'first');
  const since = new Date(START_MS).toISOString();
  await pauseTable(table, 'orders', { since, until: new Date(START_MS + 60_000).toISOString() });
  await expect(journal.renewHandOver('orders', 'first')).resolves.toBe(false);
  await journal.endHandOver('orders', 'first');
  await expect(journal.takeHandOver('orders', 900, 'second')).resolves.toBe(false);
  time.ms += 60_000;
  await expect(journal.takeHandOver('orders', 900, 'second')).resolves.toBe(true);
  await pauseTable(table, 'orders', { since: new Date(time.ms).toISOString() });
  await expect(journal.renewHandOver('orders', 'second')).resolves.toBe(false);
  await resumeTable(table, 'orders', time.ms);
  await expect(journal.renewHandOver('orders', 'second')).resolves.toBe(true);
});

test('of many at once one has it', async () => {
  const { journal, live } = await timedJournal();
  const names = Array.from({ length: 12 }, (_unused, index) => `execution-${index}`);
  const taken = await Promise.all(names.map(name => journal.takeHandOver('orders', 500, name)));
  expect(taken.filter(Boolean)).toHaveLength(1);
  await expect(live()).resolves.toMatchObject({ execution: names[taken.indexOf(true)] });
});

/** What an execution may do, and how much time passes before it. */
const deed = fc.record({
  execution: fc.constantFrom('first', 'second', 'third'),
  deed: fc.constantFrom('take', 'renew', 'end'),
  seconds: fc.constantFrom(0, 1, 299, 300, 301, 1_800),
});

test('at each moment one execution at the most takes it for its own', async () => {
  const property = fc.asyncProperty(fc.array(deed, { maxLength: 20 }), async deeds => {
    const { journal, time, live } = await timedJournal();
    /** By what each was told: until when it is its own. */
    const own = new Map<string, number>();
    for (const { execution, deed: what, seconds } of deeds) {
      time.ms += seconds * 1_000;
      const holds = (name: string) => (own.get(name) ?? 0) > time.ms;
      if (what === 'take' && (await journal.takeHandOver('orders', 500, execution))) {
        own.set(execution, time.ms + 300_000);
      }
      if (what === 'renew') {
        const renewed = await journal.renewHandOver('orders', execution);
        if (renewed) own.set(execution, time.ms + 1_800_000);
        else own.delete(execution);
      }
      if (what === 'end') {
        await journal.endHandOver('orders', execution);
        own.delete(execution);
      }
      const holders = [...own.keys()].filter(holds);
      expect(holders.length).toBeLessThanOrEqual(1);
      expect((await live())?.execution).toBe(holders[0]);
    }
  });
  await fc.assert(property, { numRuns: 30 });
});
