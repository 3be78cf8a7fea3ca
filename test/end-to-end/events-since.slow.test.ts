/** @jest-environment ./test/support/dynamodb-environment.ts */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateTableCommand, DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { StreamedRecord, StreamSource } from 'aws-on-loopback/streams/stream-source';
import type { EventsProp } from '../../config/stream-props.ts';
import type { ExpiryEvent } from '../../expiry/index.ts';
import { LocalCloud } from '../../local/cloud.ts';
import { plainStack } from '../../stacks/plain-stack.ts';
import { configOf } from '../support/configs.ts';
import { dynamoDbOfFile, useLocalDynamoDb } from '../support/local-dynamodb.ts';
import { tableInput } from '../support/table-input.ts';

const { client } = useLocalDynamoDb();
const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const HOUR_MS = 3_600_000;
const hourAgo = () => Math.floor((Date.now() - HOUR_MS) / 1000);

/** DynamoDB Local rounds times to the minute: here removals of items whose ids begin with `old` were made an hour ago, others now. */
function timed(source: StreamSource): StreamSource {
  const timeOf = ({ record, ...streamed }: StreamedRecord): StreamedRecord => {
    const { dynamodb } = record;
    const id = dynamodb?.Keys?.['id'];
    const isOld = id?.S?.startsWith('old') === true;
    const ApproximateCreationDateTime = new Date(isOld ? hourAgo() * 1000 + 1 : Date.now() + 1);
    return { ...streamed, record: { ...record, dynamodb: { ...dynamodb, ApproximateCreationDateTime } } };
  };
  return {
    shards: () => source.shards(),
    async read(...args) {
      const { records, isEnd } = await source.read(...args);
      return { records: records.map(timeOf), isEnd };
    },
  };
}

async function start(tableName: string, events: Partial<EventsProp>, checkpointFile?: string) {
  const stack = plainStack(
    configOf({ tableName, partitionKey: 'id', events: { eventBus: 'default', ...events } }),
  );
  const ids: string[] = [];
  const cloud = await LocalCloud.start({
    stack,
    dynamoDb: dynamoDbOfFile(),
    environment: {},
    schedules: false,
    mappings: { pollMs: 20, wrapSource: timed, checkpointFile },
    services: {
      onEvent({ text }) {
        const { key } = JSON.parse(text) as ExpiryEvent;
        ids.push(String((key['id'] as { S: string }).S));
      },
    },
  });
  cleanUps.push(() => cloud.stop());
  const called = cloud.synthesized.functions.find(({ name }) => name.endsWith('publish-expiries'));
  return { cloud, ids, since: called?.environment['EVENTS_SINCE'] };
}

/** Makes a table with a stream before anything is deployed to it. */
async function makeTable(TableName: string): Promise<void> {
  await client.send(
    new CreateTableCommand({
      ...tableInput({ name: TableName }),
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    }),
  );
}

async function expire(TableName: string, id: string): Promise<void> {
  const ttl = { N: String(hourAgo() - 60) };
  await client.send(new PutItemCommand({ TableName, Item: { id: { S: id }, ttl } }));
  await client.send(new DeleteItemCommand({ TableName, Key: { id: { S: id } } }));
}

async function until(isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + 20_000; !isSo(); await sleep(10)) {
    if (Date.now() > end) throw new Error('it did not happen within 20 s');
  }
}

test.each([
  ['Asked', { includePast: true }, ['old-1', 'old-2', 'new']],
  ['NotAsked', {}, ['new']],
] as const)(
  'what expired before the events were turned on is sent only when it is asked for: %s',
  async (table, events, sent) => {
    await makeTable(table);
    await expire(table, 'old-1');
    await expire(table, 'old-2');
    const { cloud, ids } = await start(table, events);
    await expire(table, 'new');
    await until(() => ids.includes('new'));
    await cloud.stop();
    expect(ids).toEqual(sent);
  },
);

test('with a checkpoint file the moment is that of the first process', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-since-'));
  cleanUps.push(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'checkpoints.json');
  const first = await start('Kept', {}, file);
  await first.cloud.stop();
  const second = await start('Kept', {}, file);
  await second.cloud.stop();
  expect([typeof first.since, second.since]).toEqual(['string', first.since]);
  expect((await start('Kept', {})).since).not.toBe(first.since);
});
