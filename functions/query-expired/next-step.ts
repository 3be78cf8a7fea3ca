import type {
  ChildProgress,
  QueryExpiredInput,
  QueryExpiredOutput,
  ShardResult,
  UpcomingStep,
} from '../../statemachine/contract/child.ts';
import type { Chunk } from '../../statemachine/contract/chunks.ts';
import type { ExpiredKey } from '../../statemachine/contract/keys.ts';
import { LISTED_KEYS } from '../../statemachine/contract/limits.ts';
import { FUNCTION_TIMEOUT_SECONDS, PRECISE_TIMEOUT_SECONDS } from '../../statemachine/contract/machines.ts';
import type { Millis, Seconds } from '../../statemachine/times.ts';
import { afterDeletes, endOfLimitMs, keysAllowed, spend, withCredit } from '../child/brake.ts';
import { afterBusy, NOT_BUSY } from '../child/busy.ts';
import { countAgain, countFound, fateOfPage } from '../child/child-counts.ts';
import { startProgress } from '../child/child-progress.ts';
import { beginRetry, noRetry, scheduleRetry } from '../child/deferred.ts';
import { afterMargin, beforeMargin } from '../child/margin.ts';
import { asOne, inParts, takeTurn } from '../child/parts.ts';
import { withoutUndone } from '../child/planned.ts';
import { afterPage, afterPolledSeconds, fromTheStart, isUnread } from '../child/poll.ts';
import { queryTimeoutSeconds } from '../child/query-timeout.ts';
import { endShard } from '../child/shard-result.ts';
import { type BehindSettings, secondsBehind } from '../child/swept-range.ts';
import type { ShowKey } from '../report/shown-keys.ts';
import { sleepRest, waitUntil } from '../retry/backoff.ts';
import { type AttemptSettings, NO_PROGRESS, retryChunk } from '../retry/chunk-retry.ts';
import { DynamoDbBusyError } from '../runtime/errors.ts';
import type { IndexLayout } from '../table/index-layout.ts';
import type { ReadIndex } from '../table/index-query.ts';
import { addResults } from './chunk-results.ts';
import { earlyEnd, lifetime } from './endings.ts';
import { toChunks } from './page.ts';
import { type AheadSettings, aheadSeconds, type PlannedDelete, planAhead } from './plan-ahead.ts';
import { type PageRead, readPage } from './read-page.ts';
import {
  AT_ONCE,
  isRetryDue,
  nextWake,
  ownMoment,
  secondsToPoll,
  untilOrDeadline,
  wasBraked,
} from './wake.ts';

/** Dependencies of a child's decisions. */
export interface NextStepOptions {
  readonly pace: AheadSettings & AttemptSettings & BehindSettings;
  readonly layout: IndexLayout;
  readonly readIndex: ReadIndex;
  /** The form of keys in the lists. */
  readonly showKey: ShowKey;
  /** At least 0, below 1. */
  readonly random: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** The function's clock in milliseconds, used only to measure durations. */
  readonly clock: () => number;
}

/**
 * Decides the next step of a child. It is called when the child begins, after each wait, and after each page of deletes that is not the
 * last or was not completed.
 *
 * 1. The results of DeleteChunks are added up. If a plan was only partly carried out, the rest is polled again.
 * 2. When a key's attempts or time run out, or the child reaches the age of MAX_CHILD_SECONDS, the child ends, and hands its target on if
 *    it made progress. A tick's child of the lookback hands on after BACK_SECONDS what it has not read. When its share of
 *    `maxDeletesPerSecond` ends, the child ends, and leaves the rest to a later sweep.
 * 3. Chunks whose function failed and may be called again wait and are tried again before the next poll, but not in an upcoming minute.
 * 4. A braked child makes no poll before it may delete again, and reads no more keys than it may delete then.
 * 5. Deferred keys get a poll of their own, from the start of the windows: after 1, 2, 4 … seconds (full jitter, capped) while such polls
 *    leave keys, and from 1 again after one that leaves none. A child of several shards that is braked is split into parts: the part with
 *    work is in front.
 * 6. If nothing is due, it waits for the next poll, or ends when there is none. By second the state machine makes the next polls by
 *    itself, while they find nothing; the seconds that it reports as polled count like those that were read here.
 * 7. A due poll reads a page of expired keys. If DynamoDB is too busy for it, it waits as in 5.
 * 8. A dry run counts the page, and continues as in 6.
 * 9. The page goes to DeleteChunks, and so do, at their times, the keys that expire next.
 *
 * All decisions are made as if it were earlier by the sweep's delay. DynamoDB's clock decides what is expired; the machine's clock, which
 * waits, decides all else. Each poll measures their difference.
 */
export async function nextStep(
  input: QueryExpiredInput,
  options: NextStepOptions,
): Promise<QueryExpiredOutput> {
  const behind = secondsBehind(options.pace);
  return afterMargin(await decide(beforeMargin(input, behind), options), behind);
}

async function decide(
  { progress: from, results, startedAt, now, polledUpTo }: QueryExpiredInput,
  options: NextStepOptions,
): Promise<QueryExpiredOutput> {
  const nowMs = Date.parse(now);
  const calledAt = options.clock();
  const before = withPolledSeconds(startProgress(from), polledUpTo ?? null);
  const life = lifetime(before, startedAt, nowMs);
  const { deadlineMs } = life;

  // 1.
  const retry = (chunk: Chunk) =>
    nowMs < deadlineMs ? retryChunk(chunk, nowMs, options.pace, options.random) : undefined;
  const {
    progress: counted,
    gaveUp,
    deferredTtls,
    again,
  } = addResults(before, results, retry, options.showKey);
  const added: ChildProgress = { ...counted, poll: withoutUndone(counted.poll, results) };

  // 2.
  const ending = earlyEnd(asOne(added), gaveUp, life, nowMs);
  if (ending !== null) return end(added, ending);

  // 3.
  if (again.length > 0) return deleteChunks(added, again, nowMs, deadlineMs);

  // 4. and 5.
  const nowSeconds = Math.floor(nowMs / 1000);
  const addedUp: ChildProgress = {
    ...added,
    brake: afterDeletes(added.brake, fateOfPage(before.counts, added.counts), nowSeconds),
    deferred: scheduleRetry(added.deferred, deferredTtls, added.poll, nowMs, options),
  };
  const turn = takeTurn(inParts(addedUp, nowSeconds), nowMs, nextWake);
  const { brake } = turn;
  const progress: ChildProgress = { ...turn, brake: withCredit(brake, nowSeconds) };

  // 6.
  if (nowMs < (nextWake(progress) ?? Number.POSITIVE_INFINITY))
    return waitOrEnd(progress, nowMs, deadlineMs, options.layout);

  // 7. While one part sleeps the others would wait.
  if (progress.others === undefined) await sleepRest(ownMoment(progress, nowMs), nowMs, options.sleep);
  const polling = beginPoll(progress, nowMs);
  const ahead = aheadSeconds(polling, options.pace);
  let page: PageRead;
  try {
    page = await readPage(polling.target, polling.poll, {
      ...options,
      machineClock: () => nowMs + options.clock() - calledAt,
      maxKeys: keysAllowed(polling.brake),
      outOfTime: timeToRead(polling, options.clock),
      ahead,
    });
  } catch (error) {
    if (!(error instanceof DynamoDbBusyError)) throw error;
    // Nothing was read, so no part of this poll has begun.
    const busy = afterBusy(progress.busy, nowMs, options);
    return waitOrEnd({ ...progress, busy }, nowMs, deadlineMs, options.layout);
  }
  const beganLateMs = calledAt - secondsBehind(options.pace) * 1000 - nowMs;
  const plan = planAhead(page, polling, options.pace, ahead, { beganLateMs, deadlineMs });
  const braked = polling.counts.braked + (wasBraked(brake, progress) ? 1 : 0);
  const read: ChildProgress = {
    ...polling,
    poll: afterPage(polling.poll, polling.target, plan.page, options.pace),
    busy: NOT_BUSY,
    counts: { ...polling.counts, braked },
  };

  // 8.
  if (read.dryRun) {
    return waitOrEnd(withSamples(read, page.due, options.showKey), nowMs, deadlineMs, options.layout);
  }

  // 9.
  const planned = plan.deletes.map(each => plannedStep(read, each, page, deadlineMs));
  return page.due.length === 0 && planned.length === 0
    ? waitOrEnd(read, nowMs, deadlineMs, options.layout)
    : deletePage(read, chunksOf(read, page.due, page.cutoff, deadlineMs), planned, nowMs, deadlineMs);
}

function withPolledSeconds(progress: ChildProgress, polledUpTo: Seconds | null): ChildProgress {
  if (polledUpTo === null) return progress;
  return { ...progress, poll: afterPolledSeconds(progress.poll, progress.target, polledUpTo) };
}

/** Begins a poll. A poll for deferred keys begins at the start of the windows, and so takes everything else that is due too. */
function beginPoll(progress: ChildProgress, nowMs: Millis): ChildProgress {
  const { poll, deferred, counts } = progress;
  if (isRetryDue(progress, nowMs)) {
    return {
      ...progress,
      poll: fromTheStart(poll),
      deferred: beginRetry(deferred, poll.seen),
      counts: countAgain(counts),
    };
  }
  return poll.position === null ? { ...progress, deferred: noRetry(deferred) } : progress;
}

/** Whether too little time is left for a further query with its second attempt. By second a page takes many queries. */
function timeToRead(progress: ChildProgress, clock: () => number): () => boolean {
  const startedAt = clock();
  const budgetMs = queryTimeoutSeconds(progress) * 200;
  return () => clock() - startedAt > budgetMs;
}

function withSamples(read: ChildProgress, due: readonly ExpiredKey[], showKey: ShowKey): ChildProgress {
  const shown = due.slice(0, LISTED_KEYS).map(({ key }) => showKey(key));
  const samples = shown.filter(key => key !== undefined);
  return { ...read, counts: countFound(read.counts, due.length, samples, read.listedKeysBytes) };
}

/**
 * Makes the step of a planned delete. The cutoff of its delete is the planned second, by DynamoDB's clock. The delete begins as far into
 * that second as `restMs` of the page says.
 */
function plannedStep(
  read: ChildProgress,
  { at, keys }: PlannedDelete,
  { ahead, restMs }: PageRead,
  deadlineMs: Millis,
): UpcomingStep {
  const until = at - ahead;
  const progress = { ...NO_PROGRESS, retryAtMs: until * 1000 + restMs };
  const chunks = chunksOf(read, keys, at, deadlineMs).map(chunk => ({ ...chunk, progress }));
  return { until: waitUntil(until), chunks };
}

function chunksOf(
  { target, brake, others = [] }: ChildProgress,
  keys: readonly ExpiredKey[],
  cutoff: Seconds,
  deadlineMs: Millis,
): Chunk[] {
  // A wait for capacity would delay newly expired items, and other parts.
  const isWaitedFor = others.some(({ poll }) => isUnread(poll));
  const inItsMinute = cutoff < target.before || Number.isFinite(endOfLimitMs(brake)) || isWaitedFor;
  const once = target.upcomingFrom !== null && inItsMinute;
  const chunk = {
    next: 'delete',
    until: null,
    timeoutSeconds: once ? PRECISE_TIMEOUT_SECONDS.DeleteChunk : FUNCTION_TIMEOUT_SECONDS.DeleteChunk,
    deadline: new Date(deadlineMs).toISOString(),
    cutoff,
    once,
    progress: null,
  } as const;
  return toChunks(keys).map(some => ({ ...chunk, keys: some }));
}

function deletePage(
  read: ChildProgress,
  chunks: readonly Chunk[],
  planned: readonly UpcomingStep[],
  nowMs: Millis,
  deadlineMs: Millis,
): QueryExpiredOutput {
  const spent = { ...read, brake: spend(read.brake, keysOf(chunks)) };
  return deleteChunks(spent, chunks, nowMs, deadlineMs, planned);
}

/**
 * Makes the answer that passes chunks to DeleteChunks.
 *
 * @param planned deletes that follow, each at the end of a wait
 */
function deleteChunks(
  before: ChildProgress,
  now: readonly Chunk[],
  nowMs: Millis,
  deadlineMs: Millis,
  planned: readonly UpcomingStep[] = [],
): QueryExpiredOutput {
  const inFlight = keysOf([...now, ...planned.flatMap(({ chunks }) => chunks)]);
  const progress: ChildProgress = { ...before, counts: { ...before.counts, inFlight } };
  const wakeMs = nextWake(takeTurn(progress, nowMs, nextWake));
  const waits = wakeMs !== null && wakeMs > nowMs;
  const upcoming = waits ? [...planned, { until: untilOrDeadline(wakeMs, deadlineMs), chunks: [] }] : planned;
  const [first, ...more] = upcoming;
  return now.length === 0 && first !== undefined
    ? step(progress, { next: 'wait', ...first, upcoming: more })
    : step(progress, { next: 'delete', chunks: now, upcoming });
}

function keysOf(chunks: readonly Chunk[]): number {
  return chunks.reduce((sum, { keys }) => sum + keys.length, 0);
}

function waitOrEnd(
  child: ChildProgress,
  nowMs: Millis,
  deadlineMs: Millis,
  layout: IndexLayout,
): QueryExpiredOutput {
  const progress = takeTurn(child, nowMs, nextWake);
  const wakeMs = nextWake(progress);
  if (wakeMs === null) return end(progress, endShard(asOne(progress), { interrupted: false }));
  if (wakeMs === AT_ONCE) return step(progress, { next: 'query' });
  const poll = secondsToPoll(progress, wakeMs, deadlineMs, layout);
  return step(progress, { next: poll ? 'poll' : 'wait', poll, until: untilOrDeadline(wakeMs, deadlineMs) });
}

function step(
  progress: ChildProgress,
  answer: Pick<QueryExpiredOutput, 'next'> & Partial<QueryExpiredOutput>,
): QueryExpiredOutput {
  const { busy, deferred, others } = progress;
  // A call that first sleeps up to a second must still be able to report that DynamoDB hangs. After deletes that left keys the next call
  // may sleep too.
  const maySleep = (answer.chunks ?? []).length > 0 || busy.untilMs !== null || deferred.retryAtMs !== null;
  const sleepSeconds = maySleep && others === undefined ? 1 : 0;
  const timeoutSeconds = queryTimeoutSeconds(progress) + sleepSeconds;
  return {
    until: null,
    poll: null,
    timeoutSeconds: Math.min(timeoutSeconds, FUNCTION_TIMEOUT_SECONDS.QueryExpired),
    chunks: [],
    upcoming: [],
    results: [],
    progress,
    result: null,
    ...answer,
  };
}

function end(progress: ChildProgress, result: ShardResult): QueryExpiredOutput {
  return step(progress, { next: 'end', result });
}
