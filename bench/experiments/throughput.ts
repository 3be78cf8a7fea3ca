import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { count } from '../../cli/dashboard/words.ts';
import { expiryAttributes } from '../../expiry/index.ts';
import { toEpochSeconds } from '../../expiry/ttl.ts';
import { guardedBatch } from '../../functions/delete-chunk/deletion.ts';
import { carriedSettings, readSettings, type SweepSettings } from '../../functions/runtime/environment.ts';
import { createDocuments } from '../../functions/table/dynamodb.ts';
import { indexLayout } from '../../functions/table/index-layout.ts';
import { indexReader } from '../../functions/table/index-query.ts';
import { LocalCloud } from '../../local/cloud.ts';
import { localConfig } from '../../local/dynamodb/clients.ts';
import { startDynamoDbLocal } from '../../local/dynamodb/dynamodb-local.ts';
import { plainStack } from '../../stacks/app.ts';
import { functionSettings, type PreciseTtlProps, resolveProps } from '../../stacks/config/props.ts';
import { CHUNK_KEYS, PAGE_KEYS } from '../../statemachine/contract/limits.ts';
import { defineExperiment, markdownTable, seconds, wholeNumber } from './support/experiment.ts';

const REGION = 'us-east-1';
const TABLE: PreciseTtlProps = { tableName: 'Backlog', partitionKey: 'id', deployment: 'throughput' };

/** Maximum number of concurrent requests. A child execution of the sweep calls DeleteChunk with the same concurrency. */
const IN_FLIGHT = 40;

const SPAN_SECONDS = 3_600;

const WAYS = ['the sweep, as a replay', `a loop with ${IN_FLIGHT} calls in flight`] as const;

export default defineExperiment({
  name: 'throughput',
  about: `
Writes a backlog of expired items into DynamoDB Local and deletes it by the sweep and by a loop of a few lines with as many calls in
flight, one after the other. Compare the ratio: DynamoDB Local shares the processor with both.`,
  flags: {
    items: { ...wholeNumber(1, 1_000_000, 'items of the backlog'), default: 10_000 },
  },
  holds: 'both deleted all items',
  async run({ flags, show }) {
    const dynamoDb = await startDynamoDbLocal({ longRun: true });
    try {
      const stack = plainStack({ region: REGION, tables: [TABLE] });
      const cloud = await LocalCloud.start({ stack, dynamoDb, schedules: false, warm: true });
      const settings = readSettings(carriedSettings(functionSettings(resolveProps(TABLE))));
      const documents = createDocuments({ maxAttempts: 3 }, localConfig(dynamoDb.endpoint, REGION));
      // The functions' client would give up a slow write; this client has no request timeout.
      const writer = DynamoDBDocumentClient.from(cloud.client);
      const took: number[] = [];
      const problems: string[] = [];
      for (const [way, name] of WAYS.entries()) {
        show(name);
        const end = toEpochSeconds(Date.now()) - 60;
        const span = { from: end - SPAN_SECONDS, before: end };
        await fill(writer, settings, flags.items, span);
        const startedAt = performance.now();
        await (way === 0 ? sweep(cloud, span) : loop(documents, settings, span));
        took.push(performance.now() - startedAt);
        const left = (await keysOf(documents, settings, span)).length;
        if (left > 0) problems.push(`${name}: expected no item to be left, got ${left}`);
      }
      await cloud.stop();
      const rows = took.map((ms, way) => {
        const rate = count(Math.round((flags.items / ms) * 1000));
        return [`${WAYS[way]}`, seconds(ms), rate, ((took[1] ?? 0) / ms).toFixed(2)];
      });
      const head = [`${count(flags.items)} items`, 'time, s', 'items a second', 'speed, loop = 1'];
      return { text: markdownTable(head, rows), data: { items: flags.items, took }, problems };
    } finally {
      await dynamoDb.stop();
    }
  },
});

/** Range of the backlog's TTLs, epoch seconds, [from, before). */
interface Span {
  readonly from: number;
  readonly before: number;
}

async function sweep(cloud: LocalCloud, { from, before }: Span): Promise<void> {
  const span = { from: new Date(from * 1000).toISOString(), to: new Date(before * 1000).toISOString() };
  await cloud.startExecution('throughput-replay', span).done;
}

async function loop(documents: DynamoDBDocumentClient, settings: SweepSettings, span: Span): Promise<void> {
  const send = guardedBatch(documents, settings, span.before, Date.now);
  for (;;) {
    const keys = await keysOf(documents, settings, span);
    if (keys.length === 0) return;
    await Promise.all(chunksOf(keys).slice(0, IN_FLIGHT).map(send));
  }
}

async function fill(
  documents: DynamoDBDocumentClient,
  { tableName, model }: SweepSettings,
  items: number,
  { from, before }: Span,
): Promise<void> {
  const puts = Array.from({ length: items }, (_unused, item) => {
    const key = { [model.partitionKey]: `item-${item}` };
    const expiresAt = before - 1 - Math.floor((item / items) * (before - from));
    return { PutRequest: { Item: { ...key, ...expiryAttributes(model, key, { expiresAt }) } } };
  });
  const chunks = chunksOf(puts);
  while (chunks.length > 0) {
    const some = chunks.splice(0, IN_FLIGHT);
    const write = (chunk: typeof puts) => new BatchWriteCommand({ RequestItems: { [tableName]: chunk } });
    await Promise.all(some.map(chunk => documents.send(write(chunk))));
  }
}

function chunksOf<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / CHUNK_KEYS) }, (_unused, chunk) =>
    all.slice(chunk * CHUNK_KEYS, (chunk + 1) * CHUNK_KEYS),
  );
}

async function keysOf(documents: DynamoDBDocumentClient, settings: SweepSettings, { from, before }: Span) {
  const read = indexReader(documents, settings);
  const keys = indexLayout(settings.model).keys({ shards: '0-1', from, before });
  const pages = await Promise.all(keys.map(key => read(key, { from, upTo: before }, PAGE_KEYS / 2)));
  return pages.flatMap(({ entries }) => entries);
}
