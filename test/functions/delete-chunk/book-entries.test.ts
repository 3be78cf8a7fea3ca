/** @jest-environment ./test/support/dynamodb-environment.ts */
import { hasLedger } from '../../../functions/delete-chunk/book-entries.ts';
import { deleteChunk } from '../../../functions/delete-chunk/handler.ts';
import type { BookEntries } from '../../../functions/journal/ledger.ts';
import type { SweepSettings } from '../../../functions/runtime/environment.ts';
import type { Chunk } from '../../../statemachine/contract/chunks.ts';
import { createExpiringTable } from '../../support/expiring-table.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';

const dynamo = useLocalDynamoDb();

const CUTOFF = Date.parse('2026-11-20T09:00:30Z') / 1000;
const clock = () => CUTOFF * 1000 + 1_900;
const AT = CUTOFF + 1;

interface Attempt {
  readonly settings: Partial<SweepSettings>;
  readonly writeEntries?: (entered: Omit<BookEntries, 'nowMs'>, withinMs: number) => Promise<void>;
}

/** Deletes an expired item, one that was renewed and one that is gone. */
async function attempt({ settings, ...given }: Attempt) {
  const table = await createExpiringTable(dynamo.client);
  await table.put([
    { id: 'expired', ttl: CUTOFF - 5 },
    { id: 'renewed', ttl: CUTOFF + 3600 },
  ]);
  const written: unknown[] = [];
  const logged: unknown[][] = [];
  const writeEntries = async (entered: Omit<BookEntries, 'nowMs'>) => {
    written.push([entered.book, entered.table === table.settings.tableName, entered.entries]);
  };
  const keys = ['expired', 'renewed', 'gone'].map(id => ({
    key: { id: { S: id } },
    ttl: id === 'expired' ? CUTOFF - 5 : CUTOFF,
  }));
  const chunk: Chunk = {
    ...{ next: 'delete', until: null, timeoutSeconds: 15, cutoff: CUTOFF, once: false, keys, progress: null },
    deadline: new Date(clock() + 60_000).toISOString(),
  };
  // The machine's clock is three seconds ahead.
  const now = new Date(clock() + 3_000).toISOString();
  const logger = { ...table.runtime.logger, error: (...line: unknown[]) => void logged.push(line) };
  const runtime = { ...table.runtime, settings: { ...table.settings, ...settings }, clock, logger };
  const answer = await deleteChunk({ chunk, now }, runtime, { writeEntries, ...given });
  return { written, logged, answer };
}

const entry = (id: string, ttl: number, more: object = {}) => ({
  key: { id: { S: id } },
  ttl,
  at: AT,
  ...more,
});
const KEPT = [entry('renewed', CUTOFF, { kept: 'renewed' })];
test("what was deleted is in the ledger by the function's clock, and nothing else", async () => {
  const { written } = await attempt({ settings: { archivedWithinSeconds: 240 } });
  expect(written).toEqual([['deleted', true, [entry('expired', CUTOFF - 5)]]]);
});

test('for a proof, what was kept is there too', async () => {
  const { written } = await attempt({ settings: { proof: true } });
  expect(written).toEqual([
    ['deleted', true, [entry('expired', CUTOFF - 5)]],
    ['kept', true, KEPT],
  ]);
});

test('without a condition, everything that DynamoDB has processed counts as deleted', async () => {
  const { written } = await attempt({ settings: { proof: true, deleteMode: 'batch' } });
  const all = [entry('expired', CUTOFF - 5), ...['renewed', 'gone'].map(id => entry(id, CUTOFF))];
  expect(written).toEqual([['deleted', true, all]]);
});

test('a ledger that cannot be written changes nothing of what the chunk came to', async () => {
  const whole = await attempt({ settings: { proof: true } });
  const { answer, logged } = await attempt({
    settings: { proof: true },
    writeEntries: async () => {
      throw new Error('no journal');
    },
  });
  expect(answer).toEqual(whole.answer);
  expect(answer.progress).toMatchObject({ deleted: 1, renewed: 1, notFound: 1 });
  expect(logged).toEqual([
    ['cannot write the ledger', { book: 'deleted', entries: 1, error: 'Error: no journal' }],
    ['cannot write the ledger', { book: 'kept', entries: 1, error: 'Error: no journal' }],
  ]);
});

test('the ledger has what is left of the time of the task, less what the answer takes', async () => {
  const limits: number[] = [];
  await attempt({
    settings: { archivedWithinSeconds: 240 },
    writeEntries: async (_entered, withinMs) => void limits.push(withinMs),
  });
  expect(limits).toEqual([13_500]);
});

test.each<[Partial<SweepSettings>, boolean]>([
  [{}, false],
  [{ proof: false }, false],
  [{ archivedWithinSeconds: 240 }, true],
  [{ publishedWithinSeconds: 180 }, true],
  [{ proof: true }, true],
])('with %j a table has a ledger: %s', (settings, has) => {
  expect(hasLedger({ tableName: 'orders', ...settings })).toBe(has);
});
