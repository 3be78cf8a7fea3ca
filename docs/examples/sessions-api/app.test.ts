import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { type LocalPreciseTtl, startPreciseTtl } from 'precise-ttl/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from './app.ts';
import { createConsumer } from './consumer.ts';
import { SESSIONS_TABLE } from './table.ts';

let local: LocalPreciseTtl;
let app: ReturnType<typeof createApp>;

beforeAll(async () => {
  local = await startPreciseTtl({ tables: [SESSIONS_TABLE] });
  app = createApp({ documents: local.documents, now: local.clock.now });
});

afterAll(() => local.stop());

async function signIn(user: string): Promise<string> {
  const response = await app.request('/sessions', { method: 'POST', body: JSON.stringify({ user }) });
  expect(response.status).toBe(201);
  return (await response.json()).id;
}

const statusOf = async (id: string) => (await app.request(`/sessions/${id}`)).status;

async function items(): Promise<number> {
  const { Count } = await local.documents.send(
    new ScanCommand({ TableName: SESSIONS_TABLE.tableName, ConsistentRead: true }),
  );
  return Count ?? 0;
}

test('a session that nobody uses is gone from the table after half an hour', async () => {
  const id = await signIn('alice');
  await local.advance('29m');
  expect(await items()).toBe(1);
  // With events an item goes a second after its expiry.
  await local.advance('61s');
  expect(await items()).toBe(0);
  expect(await statusOf(id)).toBe(401);
});

test('a session that is used stays, also in the second before it would have expired', async () => {
  const id = await signIn('bob');
  await local.advance('1799s');
  expect(await statusOf(id)).toBe(200);
  await local.advance('1799s');
  expect(await statusOf(id)).toBe(200);
  await local.advance('1801s');
  expect(await items()).toBe(0);
});

test('a session that was signed out is gone at once', async () => {
  const id = await signIn('carol');
  expect((await app.request(`/sessions/${id}`, { method: 'DELETE' })).status).toBe(204);
  expect(await statusOf(id)).toBe(401);
});

test('who lets a session expire is told so, and who signs out is not', async () => {
  await signIn('erin');
  const id = await signIn('frank');
  await app.request(`/sessions/${id}`, { method: 'DELETE' });
  await local.advance('1801s');
  const told: string[] = [];
  const consumer = createConsumer(async user => {
    if (user === 'bob') throw new Error('no address');
    told.push(user);
  });
  const events = await local.expiries();
  const { batchItemFailures } = await consumer(events);
  expect(told).toContain('erin');
  expect(told).not.toContain('frank');
  // Bob's event comes again, and no other.
  const again = events.filter(({ id }) => batchItemFailures.some(each => each.itemIdentifier === id));
  expect(again.map(({ oldImage }) => oldImage?.['user'])).toEqual([{ S: 'bob' }]);
});

test('without a user there is no session', async () => {
  const response = await app.request('/sessions', { method: 'POST', body: '{}' });
  expect(response.status).toBe(400);
});

test('what an outage left is deleted by a replay of its time', async () => {
  const withoutSchedules = await startPreciseTtl({ tables: [SESSIONS_TABLE] }, { schedules: false });
  try {
    const outage = createApp({ documents: withoutSchedules.documents, now: withoutSchedules.clock.now });
    await outage.request('/sessions', { method: 'POST', body: JSON.stringify({ user: 'dave' }) });
    const from = new Date(withoutSchedules.clock.now()).toISOString();
    await withoutSchedules.advance('1h');
    const to = new Date(withoutSchedules.clock.now()).toISOString();
    const report = await withoutSchedules.sweep(SESSIONS_TABLE.tableName, { from, to });
    expect(report).toMatchObject({ found: 1, deleted: 1, failed: 0 });
  } finally {
    await withoutSchedules.stop();
  }
});
