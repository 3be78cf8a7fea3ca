/** @jest-environment ./test/support/dynamodb-environment.ts */

import { readFileSync } from 'node:fs';
import { ConditionalCheckFailedException, CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { cancel, type Job, move, schedule } from '../../docs/files/jobs.ts';
import { workerOf } from '../../docs/files/worker.ts';
import type { ExpiryEvent } from '../../expiry/index.ts';
import { expiryModel } from '../../expiry/model.ts';
import { publishExpiries } from '../../functions/publish-expiries/handler.ts';
import type { DynamoDbStreamRecord, ItemImage } from '../../functions/stream/event.ts';
import { codeBlocks } from '../support/code-blocks.ts';
import { useLocalDynamoDb } from '../support/local-dynamodb.ts';
import { NO_LEDGER } from '../support/no-ledger.ts';
import { streamRecord } from '../support/stream-records.ts';
import { expiriesOf } from './scheduling/consumer.ts';

const dynamo = useLocalDynamoDb();
let documents: DynamoDBDocumentClient;

beforeAll(async () => {
  documents = DynamoDBDocumentClient.from(dynamo.client);
  await dynamo.client.send(
    new CreateTableCommand({
      TableName: 'Jobs',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'jobId', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'jobId', KeyType: 'HASH' }],
    }),
  );
});

const now = () => Math.floor(Date.now() / 1000);

async function waiting(jobId: string): Promise<Record<string, unknown> | undefined> {
  return (await documents.send(new GetCommand({ TableName: 'Jobs', Key: { jobId } }))).Item;
}

/** The item's removal at this time, as the stream has it. */
function removed(item: object, at: number, place = 1): DynamoDbStreamRecord {
  const OldImage = marshall(item) as unknown as ItemImage;
  const { jobId: id } = item as Job;
  const record = streamRecord({ place, at, item: { ...OldImage, id: { S: id } } });
  return { ...record, dynamodb: { ...record.dynamodb, Keys: { jobId: { S: id } }, OldImage } };
}

/** What the deployed function would call the worker with. */
async function eventsOf(...records: DynamoDbStreamRecord[]): Promise<ExpiryEvent[]> {
  const events: ExpiryEvent[] = [];
  await publishExpiries(
    { Records: records },
    {
      settings: {
        tableName: 'Jobs',
        model: expiryModel({ partitionKey: 'jobId' }),
        logKeys: 'full',
        eventsOldImage: true,
      },
      destination: {
        limits: { events: 100, eventBytes: 1e6, callBytes: 1e6 },
        send: async sent => {
          events.push(...sent.map(({ text }) => JSON.parse(text) as ExpiryEvent));
          return [];
        },
      },
      journal: NO_LEDGER,
      logger: { warn: () => {}, error: () => {} },
      clock: Date.now,
      random: Math.random,
      sleep: async () => {},
    },
    { getRemainingTimeInMillis: () => 60_000 },
  );
  return events;
}

test('the code of the page is that of consumer.ts', () => {
  const source = readFileSync(new URL('scheduling/consumer.ts', import.meta.url), 'utf8');
  const shown = source.replace("'../../../expiry/index.ts'", "'precise-ttl'");
  expect(codeBlocks('docs/archive-and-events.md', 'ts')).toContain(shown);
});

test('a job waits as an item, can be moved, and runs once it expires', async () => {
  const job = { jobId: 'remind', task: 'write to Ann' };
  await schedule(documents, job, now() + 600);
  await expect(schedule(documents, job, now() + 700)).rejects.toThrow(ConditionalCheckFailedException);
  await move(documents, 'remind', now() + 60);
  const item = await waiting('remind');
  expect(item).toMatchObject({ ...job, ttl: expect.closeTo(now() + 60, -1) });

  const ran: unknown[] = [];
  const worker = workerOf(documents, async (done, runId) => {
    ran.push([done.task, runId]);
  });
  const events = await eventsOf(removed(item ?? {}, Number(item?.['ttl']) + 1));
  expect(await worker({ events })).toEqual({ batchItemFailures: [] });
  expect(ran).toEqual([['write to Ann', 'event-1']]);
});

test('a cancelled job makes no event, and one whose time has come cannot be cancelled', async () => {
  await schedule(documents, { jobId: 'later', task: 'x' }, now() + 600);
  const item = await waiting('later');
  await cancel(documents, 'later');
  expect(await waiting('later')).toBeUndefined();
  expect(await eventsOf(removed(item ?? {}, now()))).toEqual([]);

  await schedule(documents, { jobId: 'due', task: 'x' }, now() + 1);
  await expect(cancel(documents, 'due')).rejects.toThrow(ConditionalCheckFailedException);
  await expect(move(documents, 'gone', now() + 600)).rejects.toThrow(ConditionalCheckFailedException);
});

test('a repeated job writes its next run once, counted from when it was due', async () => {
  const dueAt = now() - 100;
  const job = { jobId: 'hourly', task: 'x', everySeconds: 60, ttl: dueAt };
  const events = await eventsOf(removed(job, dueAt + 1));
  const worker = workerOf(documents, async () => {});
  for (const attempt of ['first', 'again']) {
    expect([attempt, await worker({ events })]).toEqual([attempt, { batchItemFailures: [] }]);
    expect(await waiting('hourly')).toMatchObject({ ttl: dueAt + 120, everySeconds: 60 });
  }
});

test('a worker names the events that failed', async () => {
  const print = jest.spyOn(console, 'error').mockImplementation(() => {});
  const records = ['a', 'b', 'c'].map((jobId, index) =>
    removed({ jobId, task: jobId, ttl: now() - 5 }, now() - 4, index + 1),
  );
  const worker = workerOf(documents, async ({ task }) => {
    if (task === 'b') throw new Error('no');
  });
  const answer = await worker({ events: await eventsOf(...records) });
  expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'event-2' }] });
  print.mockRestore();
});

test('a consumer of the stream gets the expiries', () => {
  const item = { UserName: { S: 'a' }, SessionId: { N: '1' }, ttl: { N: '1790000000' } };
  const expired = streamRecord({ place: 1, item, at: 1_790_000_001 });
  const deleted = streamRecord({ place: 2, item, at: 1_789_999_999 });
  expect(expiriesOf({ Records: [deleted, expired] })).toEqual([expired]);
});
