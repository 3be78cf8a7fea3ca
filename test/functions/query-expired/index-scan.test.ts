/** @jest-environment ./test/support/dynamodb-environment.ts */
import fc from 'fast-check';
import { windowKey, windowStart } from '../../../expiry/window.ts';
import { LEFT_TO_TICKS_SECONDS, NOTHING_SCANNED } from '../../../functions/child/scan.ts';
import { deleteChunk } from '../../../functions/delete-chunk/handler.ts';
import { readFinishedScan } from '../../../functions/journal/index-scans.ts';
import type { Journal } from '../../../functions/journal/journal.ts';
import { journalOf } from '../../../functions/journal/lambda-journal.ts';
import { queryExpired } from '../../../functions/query-expired/handler.ts';
import type { ShardResult } from '../../../statemachine/contract/child.ts';
import type { SweepTarget } from '../../../statemachine/contract/targets.ts';
import { childProgress } from '../../support/child-progress.ts';
import {
  createExpiringTable,
  type ExpiringTable,
  type ExpiringTableOptions,
} from '../../support/expiring-table.ts';
import { createJournal } from '../../support/journal-table.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';

const dynamo = useLocalDynamoDb();

const NOW = Date.parse('2026-11-20T09:00:30Z') / 1000;
const YEAR = 365 * 86_400;
const DAY = 86_400;
const LONG_AGO = NOW - 2 * YEAR;

const windowOf = (ttl: number, shard = 0) => windowKey(windowStart(ttl, DAY), DAY, shard);

/** An item as a writer of the deployment stamps it, whatever is said besides. */
const item = (id: string, ttl: number, expirationWindow = windowOf(ttl)) => ({ id, ttl, expirationWindow });

async function scanned(options: ExpiringTableOptions = {}) {
  const table = await createExpiringTable(dynamo.client, {
    granularityMinutes: 1440,
    shards: 1,
    dynamoDbClock: () => NOW * 1000,
    ...options,
  });
  const journalTable = await createJournal(dynamo.client);
  const journal = journalOf(journalTable, () => NOW * 1000);
  const finished = () => readFinishedScan(journalTable, table.settings.tableName);
  return { table, journal, finished };
}

/** How a call of a function may be kept from being made; false ends the child there, as a kill does. */
type GoesOn = (step: 'query' | 'delete') => boolean | Promise<boolean>;

/** Runs the child as the state machine does: undefined when it was ended on its way. */
async function runChild(
  { runtime, settings }: Pick<ExpiringTable, 'runtime' | 'settings'>,
  journal: Journal,
  {
    execution = 'scan-1',
    goesOn = () => true,
    dryRun = false,
  }: { execution?: string; goesOn?: GoesOn; dryRun?: boolean } = {},
): Promise<ShardResult | undefined> {
  const now = new Date(NOW * 1000).toISOString();
  const { beganAt, position, record } = dryRun
    ? { beganAt: now, position: null, record: null }
    : await journal.takeScan(settings.tableName, execution);
  const target: SweepTarget = {
    windows: [],
    from: NOW - 4 * YEAR,
    before: NOW + 1,
    upcomingFrom: null,
    position,
    scan: { execution, beganAt, before: record ?? NOTHING_SCANNED },
  };
  let input: Parameters<typeof queryExpired>[0] = {
    progress: childProgress({ target, dryRun }),
    results: [],
    startedAt: now,
    now,
  };
  for (;;) {
    if (!(await goesOn('query'))) return undefined;
    const output = await queryExpired(input, runtime, () => journal);
    if (output.result !== null) return output.result;
    expect(Buffer.byteLength(JSON.stringify(output))).toBeLessThan(256 * 1024);
    if (output.chunks.length > 0 && !(await goesOn('delete'))) return undefined;
    const results = await Promise.all(output.chunks.map(chunk => deleteChunk({ chunk, now }, runtime)));
    input = { ...input, progress: output.progress, results };
  }
}

const idsLeft = async (table: ExpiringTable) => (await table.scan()).map(({ id }) => id).sort();

test('deletes what is overdue, wherever it lies, and names what no sweep ever deletes', async () => {
  const { table, journal, finished } = await scanned();
  await table.put([
    item('overdue by years', LONG_AGO),
    item('overdue with a fraction', LONG_AGO + 0.5),
    item('overdue in a shard too many', LONG_AGO, windowOf(LONG_AGO, 7)),
    item('overdue in a window of an hour', LONG_AGO, windowKey(windowStart(LONG_AGO, 3600), 3600)),
    item('live in the window of another time', NOW + DAY, windowOf(NOW - DAY)),
    item('the ticks’', NOW - 60),
    item('live', NOW + 1),
    item('in milliseconds', NOW * 1000, windowOf(NOW)),
    item('negative', -5, windowOf(NOW)),
    item('six years old', NOW - 6 * YEAR),
    item('in 30 years', NOW + 30 * YEAR),
  ]);
  const result = await runChild(table, journal);
  expect(result).toMatchObject({
    ...{ complete: true, interrupted: false, scanned: 11, found: 4, deleted: 4 },
    ...{ misfiled: 3, fractional: 0, outOfRange: 4 },
  });
  const kinds = result?.named?.map(({ is, key }) => `${is}: ${JSON.stringify(key)}`) ?? [];
  for (const kind of ['milliseconds', 'negative', 'tooOld', 'tooFarAhead'])
    expect(kinds.filter(text => text.startsWith(`${kind}: `))).toHaveLength(1);
  expect(kinds).toContain('misfiled: {"id":{"S":"live in the window of another time"}}');
  await expect(idsLeft(table)).resolves.toEqual([
    ...['in 30 years', 'in milliseconds', 'live', 'live in the window of another time', 'negative'],
    ...['six years old', 'the ticks’'],
  ]);
  await expect(finished()).resolves.toMatchObject({
    beganAt: '2026-11-20T09:00:30.000Z',
    endedAt: '2026-11-20T09:00:30.000Z',
    record: { scanned: 11, found: 4, deleted: 4, failed: 0, misfiled: 3, outOfRange: 4 },
  });
});

test('leaves what was renewed since it was read, also where the table deletes without looking', async () => {
  const { table, journal } = await scanned({ deleteMode: 'batch' });
  await table.put([item('renewed', LONG_AGO), item('overdue', LONG_AGO)]);
  const renew: GoesOn = async step => {
    if (step === 'delete') await table.put([item('renewed', NOW + DAY)]);
    return true;
  };
  await expect(runChild(table, journal, { goesOn: renew })).resolves.toMatchObject({
    deleted: 1,
    renewed: 1,
  });
  await expect(idsLeft(table)).resolves.toEqual(['renewed']);
});

test('a dry run finds the same, deletes nothing and leaves the journal as it is', async () => {
  const { table, journal, finished } = await scanned();
  await table.put([
    item('overdue', LONG_AGO),
    item('misfiled', LONG_AGO, windowOf(LONG_AGO, 7)),
    item('live', NOW + 1),
  ]);
  const result = await runChild(table, journal, { dryRun: true });
  expect(result).toMatchObject({ complete: true, scanned: 3, found: 2, deleted: 0, misfiled: 1 });
  expect(result?.sampleKeys).toHaveLength(2);
  await expect(idsLeft(table)).resolves.toHaveLength(3);
  await expect(finished()).resolves.toBeUndefined();
});

/** Entries that DynamoDB hands out in all, and how many in one page. */
function counting({ documents, ...table }: ExpiringTable, pageEntries: number) {
  const seen = { entries: 0 };
  documents.middlewareStack.add(
    next => async args => {
      const input = args.input as { Limit?: number; IndexName?: string };
      if (input.IndexName !== undefined && input.Limit !== undefined)
        input.Limit = Math.min(input.Limit, pageEntries);
      const answer = await next(args);
      const { Items } = answer.output as { Items?: unknown[] };
      if (input.IndexName !== undefined) seen.entries += Items?.length ?? 0;
      return answer;
    },
    { step: 'initialize', priority: 'low' },
  );
  return { table: { documents, ...table }, seen };
}

/** A hundred entries, of which 40 are overdue, in pages of 20: they lie together, since they have one window. */
async function withPages() {
  const { table: created, ...surroundings } = await scanned();
  const counted = counting(created, 20);
  await created.put([
    ...Array.from({ length: 40 }, (_unused, index) => item(`overdue ${index}`, LONG_AGO + index)),
    ...Array.from({ length: 60 }, (_unused, index) => item(`live ${index}`, NOW + DAY + index)),
  ]);
  return { ...surroundings, ...counted };
}

test.each([1, 2, 3, 4])('goes on where an execution was ended, before its step %i', async steps => {
  const { table, seen, journal, finished } = await withPages();
  let left = steps;
  const goesOn = () => {
    left -= 1;
    return left > 0;
  };
  await expect(runChild(table, journal, { goesOn })).resolves.toBeUndefined();
  await expect(runChild(table, journal, { execution: 'scan-2' })).resolves.toMatchObject({ complete: true });
  await expect(idsLeft(table)).resolves.toHaveLength(60);
  expect(seen.entries).toBeLessThanOrEqual(100 + 20);
  // What was deleted when it was ended is not there any more.
  const { record } = (await finished()) ?? {};
  expect(record?.scanned).toBeGreaterThanOrEqual(80);
});

test.each([1, 2, 3, 4, 5])('reads one page again when a function was ended at checkpoint %i', async last => {
  const { table, seen, journal, finished } = await withPages();
  let checkpoints = 0;
  const ended: Journal = {
    ...journal,
    checkpointScan: async (...args) => {
      checkpoints += 1;
      if (checkpoints === last) throw new Error('ended');
      return journal.checkpointScan(...args);
    },
  };
  await expect(runChild(table, ended)).rejects.toThrow('ended');
  await expect(runChild(table, journal, { execution: 'scan-2' })).resolves.toMatchObject({ complete: true });
  await expect(idsLeft(table)).resolves.toHaveLength(60);
  expect(seen.entries).toBeLessThanOrEqual(100 + 20);
  const { record } = (await finished()) ?? {};
  expect(record?.scanned).toBeGreaterThanOrEqual(80);
  expect(record?.scanned).toBeLessThanOrEqual(100);
});

test('an execution whose scan another one has taken ends at its next page, and does not throw that back', async () => {
  const { table, journal, finished } = await withPages();
  let steps = 0;
  let other: ShardResult | undefined;
  const result = await runChild(table, journal, {
    goesOn: async () => {
      steps += 1;
      if (steps === 3) other = await runChild(table, journal, { execution: 'scan-2' });
      return true;
    },
  });
  expect(result).toMatchObject({ complete: true, leftForLater: 1, failed: 0 });
  expect(other).toMatchObject({ complete: true, leftForLater: 0 });
  await expect(idsLeft(table)).resolves.toHaveLength(60);
  // The first has deleted a page that it could not write down.
  await expect(finished()).resolves.toMatchObject({ record: { scanned: 80, deleted: 20 } });
});

test('no live item is ever deleted, and nothing overdue is left, whatever is renewed and wherever it is ended', async () => {
  const ages = fc.integer({ min: -3 * DAY, max: 3 * YEAR });
  const plan = fc.record({
    ages: fc.array(ages, { minLength: 1, maxLength: 60 }),
    shards: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 8 }),
    renewed: fc.array(fc.nat(59), { maxLength: 10 }),
    steps: fc.integer({ min: 1, max: 8 }),
    deleteMode: fc.constantFrom('guarded' as const, 'batch' as const),
  });
  await fc.assert(
    fc.asyncProperty(plan, async ({ ages: all, shards, renewed, steps, deleteMode }) => {
      const { table: created, journal } = await scanned({ deleteMode });
      const { table } = counting(created, 10);
      const ttls = new Map(all.map((age, index): [string, number] => [`item ${index}`, NOW - age]));
      await table.put(
        [...ttls].map(([id, ttl], index) => item(id, ttl, windowOf(ttl, shards[index % shards.length]))),
      );
      let step = 0;
      const goesOn: GoesOn = async () => {
        step += 1;
        const id = `item ${renewed[step]}`;
        const { length } = (await table.scan()).filter(stored => stored['id'] === id);
        if (length > 0) {
          ttls.set(id, NOW + DAY);
          await table.put([item(id, NOW + DAY)]);
        }
        return step !== steps;
      };
      if ((await runChild(table, journal, { goesOn })) === undefined)
        await runChild(table, journal, { execution: 'scan-2', goesOn });
      const left = new Set(await idsLeft(table));
      for (const [id, ttl] of ttls) {
        if (ttl > NOW) expect(left).toContain(id);
        if (ttl <= NOW - LEFT_TO_TICKS_SECONDS) expect(left).not.toContain(id);
      }
    }),
    { numRuns: 12 },
  );
}, 60_000);

test('reads little again where more is due than a page of keys has room for', async () => {
  const { table, journal } = await scanned();
  const { table: counted, seen } = counting(table, Number.POSITIVE_INFINITY);
  await table.put(
    Array.from({ length: 4_000 }, (_unused, index) => item(`overdue ${index}`, LONG_AGO + index)),
  );
  await expect(runChild(counted, journal)).resolves.toMatchObject({ scanned: 4_000, deleted: 4_000 });
  // The first page of all, of which a thousand are taken, and then no more than are due.
  expect(seen.entries).toBeLessThanOrEqual(4_000 + 3_000);
  await expect(idsLeft(table)).resolves.toEqual([]);
}, 60_000);
