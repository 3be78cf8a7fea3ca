/** `npm run bench throughput`: measures how fast a backlog is deleted, by the sweep and by simpler programs. */
import { BatchWriteCommand, DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { toEpochSeconds } from '../../expiry/ttl.ts';
import { guardedBatch, type SendBatch, unguardedBatch } from '../../functions/delete-chunk/deletion.ts';
import { carriedSettings, readSettings, type SweepSettings } from '../../functions/runtime/environment.ts';
import { createDocuments } from '../../functions/table/dynamodb.ts';
import { indexLayout } from '../../functions/table/index-layout.ts';
import { indexReader } from '../../functions/table/index-query.ts';
import { LocalCloud } from '../../local/cloud.ts';
import { startDynamoDbLocal } from '../../local/dynamodb/dynamodb-local.ts';
import { functionSettings, type PreciseTtlProps, resolveProps } from '../../stacks/config/props.ts';
import { plainStack } from '../../stacks/plain-stack.ts';
import { CHUNK_KEYS, PAGE_KEYS } from '../../statemachine/contract/limits.ts';
import { count } from '../report/numbers.ts';
import { fill } from './support/backlog.ts';
import { defineExperiment, markdownTable, seconds, wholeNumber } from './support/experiment.ts';

const REGION = 'us-east-1';
const TABLE: PreciseTtlProps = { tableName: 'Backlog', partitionKey: 'id', sweep: 'throughput' };

/** Calls that the loop has in flight: as many as a child of the sweep. */
const IN_FLIGHT = 40;

/** Expiry times of the backlog: one hour, which ended a minute ago. */
const SPAN_SECONDS = 3_600;

const WAYS = {
  sweep: 'the sweep, as a replay',
  guarded: `a loop with ${IN_FLIGHT} calls in flight, guarded`,
  batch: `a loop with ${IN_FLIGHT} calls in flight, batch`,
  published: 'the published function: pages of 1 MB, 25 keys at a time, three retries, batch',
} as const;
type Way = keyof typeof WAYS;

export default defineExperiment({
  name: 'throughput',
  about: `
Writes a backlog of expired items into DynamoDB Local and deletes it in four ways, one after another, each several times: by the sweep,
by a loop of a few lines with as many calls in flight, and by the algorithm of the function that this design began with, written anew
from its description. Compare the ratios: DynamoDB Local shares the processor with all of them.`,
  flags: {
    items: wholeNumber(1, 1_000_000, 10_000, 'items of the backlog'),
    runs: wholeNumber(1, 20, 3, 'runs of each way'),
  },
  holds: 'each way deleted all items',
  async run({ flags, show }) {
    const dynamoDb = await startDynamoDbLocal({ longRun: true });
    try {
      const stack = plainStack({ region: REGION, tables: [TABLE] });
      const cloud = await LocalCloud.start({ stack, dynamoDb, schedules: false, warm: 1 });
      const settings = readSettings(carriedSettings(functionSettings(resolveProps(TABLE))));
      const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
      const { endpoint } = dynamoDb;
      const documents = createDocuments({ maxAttempts: 3 }, { endpoint, region: REGION, credentials });
      // It waits longer for an answer.
      const writer = DynamoDBDocumentClient.from(cloud.client);
      const took: Record<Way, number[]> = { sweep: [], guarded: [], batch: [], published: [] };
      const problems: string[] = [];
      for (let run = 0; run < flags.runs; run += 1) {
        for (const way of Object.keys(WAYS) as Way[]) {
          show(`run ${run + 1} of ${flags.runs}: ${WAYS[way]}`);
          const end = toEpochSeconds(Date.now()) - 60;
          const ttlOf = (item: number) => end - 1 - Math.floor((item / flags.items) * SPAN_SECONDS);
          await fill(writer, settings, flags.items, ttlOf);
          const startedAt = performance.now();
          await DELETE[way]({ cloud, documents, settings, from: end - SPAN_SECONDS, before: end });
          took[way].push(performance.now() - startedAt);
          const left = (await keysOf(documents, settings, end - SPAN_SECONDS, end)).length;
          if (left > 0) problems.push(`${WAYS[way]}: expected no item to be left, got ${left}`);
        }
      }
      await cloud.stop();
      const medians = Object.fromEntries(Object.entries(took).map(([way, all]) => [way, median(all)]));
      const rows = (Object.keys(WAYS) as Way[]).map(way => {
        const ms = medians[way] ?? 0;
        const rate = count(Math.round((flags.items / ms) * 1000));
        return [WAYS[way], seconds(ms), rate, ((medians['guarded'] ?? 0) / ms).toFixed(2)];
      });
      const head = [`${count(flags.items)} items`, 'median, s', 'items a second', 'speed, guarded loop = 1'];
      return { text: markdownTable(head, rows), data: { items: flags.items, took }, problems };
    } finally {
      await dynamoDb.stop();
    }
  },
});

interface Deleting {
  readonly cloud: LocalCloud;
  readonly documents: DynamoDBDocumentClient;
  readonly settings: SweepSettings;
  /** TTLs of the backlog, epoch seconds, [from, before). */
  readonly from: number;
  readonly before: number;
}

const DELETE: Readonly<Record<Way, (of: Deleting) => Promise<void>>> = {
  async sweep({ cloud, from, before }) {
    const span = { from: new Date(from * 1000).toISOString(), to: new Date(before * 1000).toISOString() };
    await cloud.startExecution('throughput-replay', span).done;
  },
  guarded: of => loop(of, guardedBatch(of.documents, of.settings, of.before, Date.now)),
  batch: of => loop(of, unguardedBatch(of.documents, of.settings, Date.now)),
  async published({ documents, settings, from, before }) {
    const { tableName, indexName, model } = settings;
    for (const { value } of indexLayout(model).keys({ shards: '0-1', from, before })) {
      let ExclusiveStartKey: Record<string, unknown> | undefined;
      do {
        const page = await documents.send(
          new QueryCommand({
            ...{
              TableName: tableName,
              IndexName: indexName,
              ...(ExclusiveStartKey && { ExclusiveStartKey }),
            },
            KeyConditionExpression: '#window = :window AND #ttl < :before',
            ExpressionAttributeNames: { '#window': model.windowAttribute ?? '', '#ttl': model.ttlAttribute },
            ExpressionAttributeValues: { ':window': value, ':before': before },
          }),
        );
        const keys = (page.Items ?? []).map(({ id }) => ({ id }));
        for (let first = 0; first < keys.length; first += CHUNK_KEYS) {
          let requests = keys.slice(first, first + CHUNK_KEYS).map(Key => ({ DeleteRequest: { Key } }));
          for (let attempt = 0; attempt <= 3 && requests.length > 0; attempt += 1) {
            const { UnprocessedItems = {} } = await documents.send(
              new BatchWriteCommand({ RequestItems: { [tableName]: requests } }),
            );
            requests = (UnprocessedItems[tableName] ?? []) as typeof requests;
          }
        }
        ExclusiveStartKey = page.LastEvaluatedKey;
      } while (ExclusiveStartKey !== undefined);
    }
  },
};

/** Deletes pages of keys, many chunks at once. */
async function loop({ documents, settings, from, before }: Deleting, send: SendBatch): Promise<void> {
  for (;;) {
    const keys = await keysOf(documents, settings, from, before);
    if (keys.length === 0) return;
    const chunks = Array.from({ length: Math.ceil(keys.length / CHUNK_KEYS) }, (_unused, chunk) =>
      keys.slice(chunk * CHUNK_KEYS, (chunk + 1) * CHUNK_KEYS),
    );
    await Promise.all(chunks.slice(0, IN_FLIGHT).map(send));
  }
}

/** The first keys of the backlog: a page of each shard. */
async function keysOf(
  documents: DynamoDBDocumentClient,
  settings: SweepSettings,
  from: number,
  before: number,
) {
  const read = indexReader(documents, settings);
  const keys = indexLayout(settings.model).keys({ shards: '0-1', from, before });
  const pages = await Promise.all(keys.map(key => read(key, { from, upTo: before }, PAGE_KEYS / 2)));
  return pages.flatMap(({ entries }) => entries);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
