/** @jest-environment ./test/support/dynamodb-environment.ts */
import { expiryAttributes } from '../../../expiry/attributes.ts';
import { windowKey, windowStart } from '../../../expiry/window.ts';
import { queryExpired } from '../../../functions/query-expired/handler.ts';
import { NO_PROGRESS } from '../../../functions/retry/chunk-retry.ts';
import type { QueryExpiredInput } from '../../../statemachine/contract/child.ts';
import type { Chunk } from '../../../statemachine/contract/chunks.ts';
import type { ItemKey } from '../../../statemachine/contract/keys.ts';
import type { SweepTarget } from '../../../statemachine/contract/targets.ts';
import {
  createExpiringTable,
  type ExpiringTable,
  type ExpiringTableOptions,
  runtimeOf,
} from '../../support/expiring-table.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';
import { childProgress, type Progressed } from '../../support/sweep-reports.ts';
import { windowsOf } from '../../support/sweep-settings.ts';

const dynamo = useLocalDynamoDb();

const DAY = 86_400;
const CUTOFF = Date.parse('2026-11-20T09:00:30Z') / 1000;
const WINDOW = windowStart(CUTOFF, DAY);

function target({
  window = windowKey(WINDOW, DAY),
  ...bounds
}: Partial<SweepTarget> & { window?: string } = {}): SweepTarget {
  return {
    windows: windowsOf(window),
    from: WINDOW - 1000,
    before: CUTOFF + 1,
    upcomingFrom: null,
    ...bounds,
  };
}

/** DynamoDB's clock stands at the cutoff. */
const createTable = (options: ExpiringTableOptions = {}) =>
  createExpiringTable(dynamo.client, { dynamoDbClock: () => CUTOFF * 1000, ...options });

const NOW = new Date(CUTOFF * 1000 + 60_000).toISOString();

function input(progress: Progressed = {}, now = NOW): QueryExpiredInput {
  return { progress: childProgress({ target: target() }, progress), results: [], startedAt: now, now };
}

/** Reads all pages, as the state machine does. */
async function readAll(
  table: ExpiringTable,
  from: SweepTarget = target(),
): Promise<{ keys: ItemKey[]; pages: number }> {
  const keys: ItemKey[] = [];
  let pages = 0;
  let next = input({ target: from });
  for (;;) {
    const page = await queryExpired(next, table.runtime);
    const chunked = page.chunks.flatMap(chunk => chunk.keys);
    expect(page.next).toBe(chunked.length > 0 ? 'delete' : 'end');
    expect(page.progress.counts.inFlight).toBe(chunked.length);
    expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(256 * 1024);
    if (page.next === 'end' || pages > 200) return { keys, pages };
    pages += 1;
    keys.push(...chunked.map(({ key }) => key));
    // As if each of them had gone: the page after it begins behind it.
    const results = page.chunks.map(chunk => ({ ...chunk, keys: [] }));
    next = { ...next, progress: page.progress, results };
  }
}

const ids = (keys: readonly ItemKey[]) => keys.map(key => key['id']).map(id => (id && 'S' in id ? id.S : id));

test('finds what is expired at the cutoff, and nothing else of the window', async () => {
  const table = await createTable();
  const expirationWindow = windowKey(WINDOW, DAY);
  await table.put([
    { id: 'first second of the window', ttl: WINDOW, expirationWindow },
    { id: 'at the cutoff', ttl: CUTOFF, expirationWindow },
    { id: 'a second later', ttl: CUTOFF + 1, expirationWindow },
    { id: 'of another shard', ttl: CUTOFF, expirationWindow: `${expirationWindow}#1` },
    { id: 'without a window', ttl: CUTOFF },
  ]);
  expect(ids((await readAll(table)).keys)).toEqual(['first second of the window', 'at the cutoff']);
});

test.each<[string, Partial<SweepTarget>, string[]]>([
  ['from is part of the span', { from: CUTOFF - 2 }, ['c-2', 'c-1.5', 'c-1', 'c-0.5', 'c']],
  ['before is not', { before: CUTOFF - 1 }, ['c-2', 'c-1.5']],
  [
    'a TTL with a fraction belongs to the second it lies in',
    { from: CUTOFF - 1, before: CUTOFF },
    ['c-1', 'c-0.5'],
  ],
  ['nothing after the cutoff', { before: CUTOFF + 100 }, ['c-2', 'c-1.5', 'c-1', 'c-0.5', 'c']],
  ['a span that has not begun', { from: CUTOFF + 1, before: CUTOFF + 2 }, []],
])('%s', async (_name, bounds, expected) => {
  const table = await createTable();
  const expirationWindow = windowKey(WINDOW, DAY);
  await table.put(
    [-2, -1.5, -1, -0.5, 0, 0.5, 1].map(offset => ({
      id: `c${offset === 0 ? '' : (offset > 0 ? '+' : '') + offset}`,
      ttl: CUTOFF + offset,
      expirationWindow,
    })),
  );
  expect(ids((await readAll(table, target(bounds))).keys)).toEqual(expected);
});

test.each<['S' | 'N' | 'B', (index: number) => unknown]>([
  ['S', index => `item "${index}" 'ü'`],
  ['N', index => index * 1.5 - 7],
  ['B', index => new Uint8Array([index, 255 - index, 0])],
])('pages through keys of type %s, with and without sort key', async (type, value) => {
  for (const sortKey of [undefined, 'when']) {
    const table = await createTable({
      partitionKeyType: type,
      shards: 1,
      ...(sortKey && { sortKey, sortKeyType: type }),
    });
    await table.put(
      Array.from({ length: 60 }, (_unused, index) => {
        const key = { id: value(index), ...(sortKey && { [sortKey]: value(index + 100) }) };
        return {
          ...key,
          ...expiryAttributes(table.settings.model, key, { expiresAt: CUTOFF, nowMs: CUTOFF * 1000 }),
        };
      }),
    );
    const { keys } = await readAll(table);
    expect(new Set(keys.map(key => JSON.stringify(key))).size).toBe(60);
    for (const key of keys) expect(Object.keys(key)).toEqual(sortKey ? ['id', 'when'] : ['id']);
  }
});

test('reads a window of 2,500 items with one TTL to its end', async () => {
  const table = await createTable();
  const expirationWindow = windowKey(WINDOW, DAY);
  await table.put(
    Array.from({ length: 2500 }, (_unused, index) => ({
      id: `item-${index}`,
      ttl: CUTOFF,
      expirationWindow,
    })),
  );
  const { keys, pages } = await readAll(table);
  expect(new Set(ids(keys)).size).toBe(2500);
  expect(pages).toBe(3);
});

test('cuts pages of large keys short, and loses none', async () => {
  const table = await createTable({ sortKey: 'when' });
  const expirationWindow = windowKey(WINDOW, DAY);
  await table.put(
    Array.from({ length: 300 }, (_unused, index) => ({
      id: `item-${index}`,
      when: `${index}${'\u0001'.repeat(1000)}`,
      ttl: CUTOFF - (index % 5),
      expirationWindow,
    })),
  );
  const { keys, pages } = await readAll(table);
  expect(new Set(ids(keys)).size).toBe(300);
  expect(pages).toBeGreaterThan(5);
});

test('an upcoming minute is read to its first entry that is not due, which says when to poll next', async () => {
  const table = await createTable();
  const runtime = { ...table.runtime, settings: { ...table.settings, precisionSeconds: 1 } };
  const expirationWindow = windowKey(WINDOW, DAY);
  await table.put([
    { id: 'due', ttl: CUTOFF, expirationWindow },
    { id: 'next', ttl: CUTOFF + 7, expirationWindow },
  ]);
  const minute = windowStart(CUTOFF, 60);
  const upcoming = target({ upcomingFrom: minute, before: minute + 60 });
  const now = new Date(CUTOFF * 1000 + 300).toISOString();
  expect(
    await queryExpired(input({ target: upcoming, poll: { nextAt: CUTOFF } }, now), runtime),
  ).toMatchObject({
    next: 'delete',
    chunks: [
      {
        keys: [{ key: { id: { S: 'due' } }, ttl: CUTOFF }],
        cutoff: CUTOFF,
        once: true,
        timeoutSeconds: 2,
      },
    ],
    upcoming: [{ until: new Date((CUTOFF + 7) * 1000).toISOString().replace('.000', ''), chunks: [] }],
  });
});

test('a dry run counts and hands out no keys', async () => {
  const table = await createTable();
  await table.put([{ id: 'a', ttl: CUTOFF, expirationWindow: windowKey(WINDOW, DAY) }]);
  expect(await queryExpired(input({ dryRun: true }), table.runtime)).toMatchObject({
    next: 'end',
    chunks: [],
    result: { found: 1, deleted: 0, sampleKeys: [{ id: { S: 'a' } }], complete: true },
  });
});

const failing = (table: ExpiringTable, name: string) =>
  runtimeOf(table.settings, {
    send: () => Promise.reject(Object.assign(new Error(name), { name })),
  } as never);

test.each(['ProvisionedThroughputExceededException', 'ThrottlingException', 'TimeoutError'])(
  'a query that fails with %s is made again after a wait',
  async name => {
    const table = await createTable();
    const answer = await queryExpired(input(), failing(table, name));
    expect(answer).toMatchObject({ next: 'wait', progress: { busy: { polls: 1 } } });
    expect(Date.parse(answer.until ?? '')).toBeLessThanOrEqual(Date.parse(NOW) + 1000);
  },
);

test('a query that fails with anything else fails', async () => {
  const table = await createTable();
  await expect(queryExpired(input(), failing(table, 'ResourceNotFoundException'))).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
});

test.each<[string, () => Promise<void>]>([
  ['', async () => undefined],
  [', also where the journal cannot be written', () => Promise.reject(new Error('no journal'))],
])('what DynamoDB throttled of the deletes is noted%s', async (_where, answer) => {
  const table = await createTable();
  const noted: unknown[] = [];
  const journal = {
    noteThrottled: (...args: unknown[]) => {
      noted.push(args);
      return answer();
    },
  } as never;
  const chunk: Chunk = {
    ...{ keys: [], once: true, progress: null, next: 'delete', until: null, timeoutSeconds: 5 },
    ...{ deadline: NOW, cutoff: CUTOFF },
  };
  const throttling = (throttled: number) => ({ ...chunk, progress: { ...NO_PROGRESS, throttled } });
  const call = (results: QueryExpiredInput['results']) =>
    queryExpired({ ...input(), results }, table.runtime, () => journal);
  await call([throttling(0)]);
  expect(noted).toEqual([]);
  await expect(
    call([throttling(3), throttling(0), { ...throttling(90), once: false }, throttling(4), chunk]),
  ).resolves.toMatchObject({
    progress: { counts: { throttled: 97 } },
  });
  expect(noted).toEqual([[table.settings.tableName, 7]]);
});
