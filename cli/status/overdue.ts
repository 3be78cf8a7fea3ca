import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expiredRange, toEpochSeconds } from '../../expiry/ttl.ts';
import { plan } from '../../functions/plan-sweep/plan.ts';
import type { SweepRequest } from '../../functions/plan-sweep/sweep-input.ts';
import { DynamoDbBusyError } from '../../functions/runtime/errors.ts';
import type { Documents } from '../../functions/table/dynamodb.ts';
import { isBusy, isThrottling } from '../../functions/table/dynamodb-errors.ts';
import { heldReader, MOST_READ, type ReadHeld } from '../../functions/table/held-items.ts';
import { indexLayout } from '../../functions/table/index-layout.ts';
import { earliestTtl, indexReader, MAYBE, type ReadIndex } from '../../functions/table/index-query.ts';
import type { SweepTarget } from '../../statemachine/contract.ts';
import { NoAnswerError } from '../aws/no-answer.ts';
import type { Subject } from '../deployment/subject.ts';
import type { Look } from './gone.ts';

/** A look at what is overdue. */
export interface OverdueLook extends Look {
  /** Entries that were found expired. */
  readonly overdue: number;
  /** There may be more of them: not all were counted. */
  readonly atLeast: boolean;
  /** Expired entries of items that are held, and so not overdue, as far as they were come upon. */
  readonly held: number;
  /** DynamoDB did not say of all that were found whether they are held: those count as overdue. */
  readonly heldUnknown: boolean;
  /** Why not all of the index was read, a sentence without its full stop; null when it was. */
  readonly why: string | null;
  /** Queries of the index that it took. */
  readonly queries: number;
}

/** Probes in flight. */
const CONCURRENCY = 16;

/** Most index keys that are asked in one look: half a read unit each, so about $0.0006. */
export const MOST_KEYS = 5_000;

/** Entries of one target that are counted, and targets whose entries are. */
const COUNTED_ENTRIES = 200;
const COUNTED_TARGETS = 20;

/** How long a look may take, milliseconds: with a last query that gets no answer, shorter than the whole of `status`. */
export const LOOK_MS = 6_000;

/**
 * Minutes that one look can go back.
 * @param wanted as far as it should
 */
export function minutesBack({ model }: Pick<Subject, 'model'>, wanted: number): number {
  const { windowSeconds, shards } = indexLayout(model);
  const keysOfWindow = model.indexedBy === 'second' ? windowSeconds : shards;
  // One window more than the time is long: the first is entered in its middle.
  const windows = Math.max(1, Math.floor(MOST_KEYS / keysOfWindow) - 1);
  return Math.max(1, Math.min(wanted, Math.floor((windows * windowSeconds) / 60)));
}

/**
 * Looks for what is expired and still there, as a sweep would plan it. It reads the index only, and of a table with a `holdAttribute`
 * whether the items are held. With `graceSeconds` it looks as if it were so much earlier: an item in its grace is not overdue.
 *
 * @param minutes how far back
 * @param lookMs how long it may take, milliseconds; it ends with the queries that are on their way then
 * @param now epoch milliseconds
 * @throws {NoAnswerError} when DynamoDB answers nothing; DynamoDB's own errors, but for those of a busy one
 */
export async function lookForOverdue(
  dynamoDb: DynamoDBClient,
  { props, model }: Subject,
  minutes: number,
  now: () => number,
  lookMs = LOOK_MS,
): Promise<OverdueLook> {
  const documents = DynamoDBDocumentClient.from(dynamoDb, { unmarshallOptions: { wrapNumbers: true } });
  const layout = indexLayout(model);
  let queries = 0;
  let answered = 0;
  const reader = indexReader(documents, { ...props, model });
  const readIndex: ReadIndex = async (...args) => {
    queries += 1;
    try {
      const page = await reader(...args);
      answered += 1;
      return page;
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
      // One query without an answer is no dead DynamoDB while others are answered.
      throw new DynamoDbBusyError(error.reason, { cause: error });
    }
  };
  const startedAt = now();
  const readAt = toEpochSeconds(startedAt) - props.graceSeconds;
  const held = new Set<string>();
  let heldUnknown = false;
  const lookUp = heldReader(
    noting(documents, () => {
      heldUnknown = true;
    }),
    { ...props, model },
  );
  const readHeld: ReadHeld | undefined =
    lookUp &&
    (async entries => {
      const found = await lookUp(entries);
      for (const { key } of found) held.add(JSON.stringify(key));
      return found;
    });
  const request = requestBack(readAt, minutes);
  const outOfTime = () => now() - startedAt > lookMs;
  let unansweredFrom: number | null = null;
  let why: string | null = null;
  /** They count as due, and may hold nothing. */
  const uncertain = new Set<SweepTarget>();
  const probe = async (target: SweepTarget) => {
    try {
      const earliest = await earliestTtl(readIndex, layout, target, outOfTime, readHeld);
      if (earliest === MAYBE) uncertain.add(target);
      return earliest;
    } catch (error) {
      if (!(error instanceof DynamoDbBusyError)) throw error;
      const start = Math.min(...target.windows.map(window => window.start));
      unansweredFrom = Math.min(unansweredFrom ?? start, start);
      why ??= whyOf(error) ?? tooSlow();
      uncertain.add(target);
      throw error;
    }
  };
  const tooSlow = () =>
    queries === 0
      ? 'no time was left to ask DynamoDB'
      : `DynamoDB had answered ${answered} queries when ${Math.round(lookMs / 1000)} s were over`;
  const unread = { readAt, read: null, oldest: null, overdue: 0, atLeast: true };
  try {
    const { due, cursor, oldestOverdue } = await plan(request, null, {
      layout,
      probe,
      concurrency: CONCURRENCY,
      maxDue: MOST_KEYS,
      watchAlways: false,
      outOfTime,
    });
    const upTo = cursor === null ? readAt : cursor.window - 1;
    const counted = await countEntries(due, uncertain, layout, readIndex, outOfTime, readHeld);
    return {
      readAt,
      read: upTo < request.windowsFrom ? null : { from: request.windowsFrom, upTo },
      oldest: oldestOverdue ?? null,
      unansweredFrom,
      ...counted,
      atLeast: counted.atLeast || cursor !== null || unansweredFrom !== null,
      held: held.size,
      heldUnknown,
      why: why ?? (cursor === null ? null : tooSlow()),
      queries,
    };
  } catch (error) {
    if (!(error instanceof DynamoDbBusyError)) throw error;
    if (error.cause instanceof NoAnswerError && answered === 0) throw error.cause;
    return {
      ...unread,
      unansweredFrom: unansweredFrom ?? request.windowsFrom,
      held: held.size,
      heldUnknown,
      why: whyOf(error) ?? tooSlow(),
      queries,
    };
  }
}

/** Throttled, silent and unavailable are three causes, with three remedies; undefined when there was no time to ask. */
function whyOf({ cause }: DynamoDbBusyError): string | undefined {
  if (cause === undefined) return undefined;
  if (cause instanceof NoAnswerError) return cause.reason;
  if (isThrottling(cause)) return 'DynamoDB throttles the index';
  return `DynamoDB is not available (${(cause as Error).name})`;
}

/** A call that DynamoDB does not answer is no reason to stop, but one to say so. */
function noting(documents: Documents, onUnanswered: () => void): Documents {
  const send = async (...args: Parameters<Documents['send']>) => {
    try {
      return await documents.send(...args);
    } catch (error) {
      if (!(error instanceof NoAnswerError) && !isBusy(error)) throw error;
      onUnanswered();
      return { $metadata: {} };
    }
  };
  return { send: send as Documents['send'] };
}

/** As a reconcile asks, with nothing upcoming. */
function requestBack(cutoff: number, minutes: number): SweepRequest {
  return {
    windowsFrom: cutoff - minutes * 60,
    windowsBefore: cutoff + 1,
    followsBacklog: false,
    from: expiredRange(cutoff).after + 1,
    before: cutoff + 1,
    cutoff,
    upcoming: null,
    dryRun: true,
    isTick: false,
    seeksMisfiled: false,
    limit: null,
  };
}

async function countEntries(
  due: readonly SweepTarget[],
  uncertain: ReadonlySet<SweepTarget>,
  layout: ReturnType<typeof indexLayout>,
  readIndex: ReadIndex,
  outOfTime: () => boolean,
  readHeld: ReadHeld | undefined,
): Promise<{ overdue: number; atLeast: boolean }> {
  let overdue = 0;
  let atLeast = due.length > COUNTED_TARGETS;
  for (const target of due.slice(0, COUNTED_TARGETS)) {
    const { from, before } = target;
    for (const key of layout.keys(target)) {
      if (outOfTime()) return { overdue, atLeast: true };
      try {
        const page = await readIndex(key, { from, upTo: before - 1 }, null, COUNTED_ENTRIES);
        for (let start = 0; start < page.entries.length; start += MOST_READ) {
          const entries = page.entries.slice(start, start + MOST_READ);
          overdue += entries.length - ((await readHeld?.(entries))?.size ?? 0);
        }
        atLeast ||= page.more;
      } catch (error) {
        if (!(error instanceof DynamoDbBusyError)) throw error;
        atLeast = true;
      }
    }
  }
  // Targets beyond those that were counted hold one each at the least, where that is known.
  const others = due.slice(COUNTED_TARGETS).filter(target => !uncertain.has(target));
  return { overdue: overdue + others.length, atLeast };
}
