/** @jest-environment ./test/support/dynamodb-environment.ts */
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { expiryAttributes } from '../../expiry/index.ts';
import { modelOf } from '../../stacks/model-of.ts';
import type { PreciseTtlProps } from '../../stacks/props.ts';
import { MINUTE, type PlayedCloud, playedCloud } from './played-cloud.ts';
import { notPrinted } from './sections.ts';

/* The section deletes-unread of docs/runbook.md, of a deployment that has a reader of its table's stream. */

const SESSIONS: PreciseTtlProps = {
  tableName: 'Read',
  partitionKey: 'id',
  events: { eventBus: 'default' },
};

let cloud: PlayedCloud;
let documents: DynamoDBDocumentClient;

beforeAll(async () => {
  cloud = await playedCloud(SESSIONS, Date.parse('2026-11-21T12:08:30Z'));
  documents = DynamoDBDocumentClient.from(cloud.served.cloud.client);
});
afterAll(() => cloud?.stop());

async function put(id: string): Promise<void> {
  const expiresAt = Math.floor(cloud.clock.now() / 1000) + 150;
  const item = {
    id,
    ...expiryAttributes(modelOf(SESSIONS), { id }, { expiresAt, nowMs: cloud.clock.now() }),
  };
  await documents.send(new PutCommand({ TableName: SESSIONS.tableName, Item: item }));
}

test('deletes-unread: the reader of the stream is not called; when it is, what it has missed comes', async () => {
  const read: string[] = [];
  await put('seen');
  await cloud.clock.advance(10 * MINUTE);
  expect(cloud.isSounding('deletesUnread')).toBe(false);
  expect(cloud.printed).toEqual([]);

  cloud.faults.functions = async ({ functionName }) =>
    functionName.endsWith('-publish-expiries')
      ? { ok: false, errorType: 'AccessDenied', errorMessage: 'not allowed' }
      : undefined;
  await put('unseen');
  // Deleted after two and a half minutes, and compared after three more.
  const minutes = await cloud.until('deletesUnread', true, 10);
  expect(minutes).toBeGreaterThanOrEqual(6);
  cloud.faults.functions = async ({ functionName }) => {
    if (functionName.endsWith('-publish-expiries')) read.push(functionName);
    return undefined;
  };
  await cloud.until('deletesUnread', false, 16);
  expect(read.length).toBeGreaterThan(0);
  expect(notPrinted('deletes-unread', cloud.printed)).toEqual([]);
});
