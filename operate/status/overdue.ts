import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, QueryCommand, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import { expiredRange, toEpochSeconds } from '../../expiry/ttl.ts';
import { DynamoDbBusyError } from '../../functions/runtime/errors.ts';
import type { Documents } from '../../functions/table/dynamodb.ts';
import { isBusy, isThrottling } from '../../functions/table/dynamodb-errors.ts';
import { type IndexKey, indexLayout } from '../../functions/table/index-layout.ts';
import { indexReader, keyCondition, type TtlRange } from '../../functions/table/index-query.ts';
import { rangesOf } from '../../functions/table/shard-ranges.ts';
import type { ExpiredKey } from '../../statemachine/contract/keys.ts';
import { NoAnswerError } from '../aws/errors.ts';
import type { Subject } from '../deployment/subject.ts';
import type { Look, Span } from './gone.ts';

/** The reason why some items were not read. */
export interface Unseen {
  readonly id: 'indexThrottled' | 'dynamoDbUnavailable' | 'indexUnanswered' | 'indexSlow' | 'indexTooLong';
  /** A sentence without its full stop. */
  readonly text: string;
}

/** The overdue items of a table. */
export interface OverdueLook extends Look {
  /** Number of items in {@link Look.overdue} that expired in the last minute. */
  readonly lastMinute: number;
  /** The reason why more items may be overdue than were counted; null if all were counted. */
  readonly unseen: Unseen | null;
  /** Number of index queries. */
  readonly queries: number;
}

/** Parallel queries. */
const CONCURRENCY = 16;

/** The most index keys that one look queries: half a read unit each, so about $0.0003. */
export const MAX_KEYS = 5_000;

/** Entries that are read for each index key and can be listed; further ones are only counted. */
export const NAMEABLE = 21;

/** The most pages of 1 MB that one look counts: about a million entries, 12,800 read units or $0.0016. */
const MAX_COUNTED = 100;

/** Time limit of a look, milliseconds: even with a last query that gets no answer, it is shorter than the limit of `status`. */
export const LOOK_MS = 6_000;

/**
 * How many minutes back one look can read.
 * @param wanted minutes
 */
export function minutesBack({ model, shards }: Pick<Looked, 'model' | 'shards'>, wanted: number): number {
  // The span can begin in the middle of a window, so it touches one window more.
  const seconds =
    model.indexedBy === 'second'
      ? MAX_KEYS
      : Math.max(1, Math.floor(MAX_KEYS / shards) - 1) * model.granularitySeconds;
  return Math.max(1, Math.min(wanted, Math.floor(seconds / 60)));
}

/** A table with the most shards that it ever had. */
export interface Looked extends Pick<Subject, 'props' | 'model'> {
  readonly shards: number;
}

/**
 * Counts the expired items that still exist, newest first: if the time is too short for all, the newest ones are counted, and the
 * reason for the rest is returned. It reads the index only.
 *
 * @param minutes how far back
 * @param lookMs time limit in milliseconds; running queries are completed
 * @param now epoch milliseconds
 * @throws {NoAnswerError} when DynamoDB never answers; DynamoDB's own errors, except for throttling
 */
export async function lookForOverdue(
  dynamoDb: DynamoDBClient,
  { props, model, shards }: Looked,
  minutes: number,
  now: () => number,
  lookMs = LOOK_MS,
): Promise<OverdueLook> {
  const documents = DynamoDBDocumentClient.from(dynamoDb, { unmarshallOptions: { wrapNumbers: true } });
  const startedAt = now();
  const readAt = toEpochSeconds(startedAt);
  const wanted = { from: readAt - minutes * 60, upTo: readAt };
  const outOfTime = () => now() - startedAt > lookMs;
  const readIndex = indexReader(documents, { ...props, model });
  const countPage = indexCounter(documents, { ...props, model });
  let queries = 0;
  let answered = 0;
  let counted = 0;
  const asked = async <Answer>(query: () => Promise<Answer>): Promise<Answer> => {
    queries += 1;
    const answer = await query();
    answered += 1;
    return answer;
  };
  let overdue = 0;
  let lastMinute = 0;
  let unseen: Unseen | null = null;
  let named: ExpiredKey[] = [];
  const range = { from: expiredRange(readAt).after + 1, upTo: readAt };
  const minute = { from: readAt - 59, upTo: readAt };

  /** Reads the first entries of an index key, and counts the others. */
  const readKey = async ({ key, span }: KeyToRead): Promise<void> => {
    const { entries, more } = await asked(() => readIndex(key, range, NAMEABLE));
    named = oldestOf([...named, ...entries]);
    if (more) return countKey(key, span, entries.length);
    overdue += entries.length;
    lastMinute += entries.filter(({ ttl }) => ttl >= minute.from).length;
  };
  const countKey = async (key: IndexKey, span: Span, least: number): Promise<void> => {
    let count = 0;
    try {
      count = await countIn(key, range);
      if (span.upTo >= minute.from) lastMinute += await countIn(key, minute);
    } finally {
      overdue += Math.max(least, count);
    }
  };
  const countIn = async (key: IndexKey, within: TtlRange): Promise<number> => {
    let count = 0;
    let startKey: QueryCommandOutput['LastEvaluatedKey'];
    do {
      if (outOfTime()) throw new DynamoDbBusyError('out of time');
      if (counted === MAX_COUNTED) throw new TooManyError();
      counted += 1;
      const page = await asked(() => countPage(key, within, startKey));
      count += page.count;
      startKey = page.next;
    } while (startKey !== undefined);
    return count;
  };

  const tooSlow = (): Unseen => ({
    id: 'indexSlow',
    text:
      queries === 0
        ? 'no time was left to ask DynamoDB'
        : `DynamoDB had answered ${answered} queries when ${Math.round(lookMs / 1000)} s were over`,
  });
  const parts = newestFirst(wanted, model, shards);
  const holes: Span[] = [];
  let silent: NoAnswerError | undefined;
  let failure: unknown;
  const pending = parts.values();
  const worker = async () => {
    for (const part of pending) {
      if (silent !== undefined || failure !== undefined || outOfTime()) {
        holes.push(part.span);
        if (silent === undefined) unseen ??= tooSlow();
        continue;
      }
      try {
        await readKey(part);
      } catch (error) {
        holes.push(part.span);
        if (error instanceof NoAnswerError) silent = error;
        else if (!(error instanceof DynamoDbBusyError || error instanceof TooManyError)) failure ??= error;
        unseen ??= unseenOf(error) ?? tooSlow();
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  if (failure !== undefined) throw failure;
  if (silent !== undefined && answered === 0) throw silent;
  return {
    readAt,
    read: without(wanted, holes),
    overdue,
    lastMinute,
    named,
    unseen,
    queries,
  };
}

class TooManyError extends Error {}

/** The reason for an incomplete count. Throttling, no answer and unavailability have different remedies; undefined if the time was over. */
function unseenOf(error: unknown): Unseen | undefined {
  if (error instanceof NoAnswerError) return { id: 'indexUnanswered', text: error.reason };
  if (error instanceof TooManyError)
    return { id: 'indexTooLong', text: `${MAX_COUNTED} MB of the index were counted, which is the most` };
  const cause = (error as Error).cause;
  if (cause === undefined) return undefined;
  if (isThrottling(cause)) return { id: 'indexThrottled', text: 'DynamoDB throttles the index' };
  return {
    id: 'dynamoDbUnavailable',
    text: `DynamoDB is not available (${(cause as Error).name})`,
  };
}

/** An index key, and the expiry times that stay unknown if it is not read. */
interface KeyToRead {
  readonly key: IndexKey;
  readonly span: Span;
}

/** The index keys that can contain items which expired in a span, newest first. */
function newestFirst({ from, upTo }: Span, model: Looked['model'], shards: number): KeyToRead[] {
  const target = { from, before: upTo + 1, shards: rangesOf(Array(shards).keys()) };
  const length = model.indexedBy === 'second' ? 0 : model.granularitySeconds;
  // An older format of windows includes items that expire exactly at the end of a window.
  return indexLayout(model)
    .keys(target)
    .map(key => ({ key, span: { from: key.from, upTo: key.from + length } }))
    .reverse();
}

/** The parts of a span outside of some others, oldest first. */
function without({ from, upTo }: Span, holes: readonly Span[]): Span[] {
  const left: Span[] = [];
  let start = from;
  for (const hole of holes.toSorted((one, other) => one.from - other.from)) {
    if (hole.from > start) left.push({ from: start, upTo: Math.min(hole.from - 1, upTo) });
    start = Math.max(start, hole.upTo + 1);
  }
  return start > upTo ? left : [...left, { from: start, upTo }];
}

function oldestOf(entries: readonly ExpiredKey[]): ExpiredKey[] {
  return entries.toSorted((one, other) => one.ttl - other.ttl).slice(0, NAMEABLE);
}

/** Counts the entries of an index key, in pages of up to 1 MB. */
function indexCounter(
  documents: Documents,
  { tableName, indexName, model }: Looked['props'] & Pick<Looked, 'model'>,
) {
  return async (key: IndexKey, range: TtlRange, startKey: QueryCommandOutput['LastEvaluatedKey']) => {
    const request = {
      TableName: tableName,
      IndexName: indexName,
      Select: 'COUNT' as const,
      ...keyCondition(model, key, range),
      ...(startKey && { ExclusiveStartKey: startKey }),
    };
    const { Count = 0, LastEvaluatedKey } = await documents
      .send(new QueryCommand(request))
      .catch((error: unknown) => {
        throw isBusy(error)
          ? new DynamoDbBusyError(`Query of ${indexName}: ${error}`, { cause: error })
          : error;
      });
    return { count: Count, next: LastEvaluatedKey };
  };
}
