import {
  type ChildProgress,
  type Chunk,
  type ExpiredKey,
  FUNCTION_TIMEOUT_SECONDS,
  LISTED_KEYS,
  MAX_CHILD_SECONDS,
  PRECISE_TIMEOUT_SECONDS,
  type QueryExpiredInput,
  type QueryExpiredOutput,
  type ShardResult,
} from '../../statemachine/contract.ts';
import { startProgress } from '../child/child-progress.ts';
import { afterGrace, beforeGrace } from '../child/grace.ts';
import { queryTimeoutSeconds } from '../child/query-timeout.ts';
import { endShard, handOn, madeProgress } from '../child/shard-result.ts';
import { type BehindSettings, secondsBehind } from '../child/swept-range.ts';
import { firstThatFit } from '../report/listed-keys.ts';
import type { ShowKey } from '../report/shown-keys.ts';
import { backoffMs, sleepRest, waitUntil } from '../retry/backoff.ts';
import { type AttemptSettings, retryChunk } from '../retry/chunk-retry.ts';
import { DynamoDbBusyError } from '../runtime/errors.ts';
import type { ReadHeld } from '../table/held-items.ts';
import type { IndexLayout } from '../table/index-layout.ts';
import type { ReadIndex } from '../table/index-query.ts';
import { afterDeletes, brakedUntil, keysAllowed, spend, withCredit } from './brake.ts';
import { addResults } from './chunk-results.ts';
import { toChunks } from './page.ts';
import { nextPollAt, type PolledPage, type PollPace, readPage } from './poll.ts';

/** What a child's decisions need from outside. */
export interface NextStepOptions {
  readonly pace: PollPace & AttemptSettings & BehindSettings;
  readonly layout: IndexLayout;
  readonly readIndex: ReadIndex;
  /** Undefined: the table has no hold attribute. */
  readonly readHeld?: ReadHeld | undefined;
  /** What the lists of keys show of one. */
  readonly showKey: ShowKey;
  /** At least 0, below 1. */
  readonly random: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** The function's clock, milliseconds: only what passes on it counts. */
  readonly clock: () => number;
}

/**
 * What a child does next. Called when it begins, after each wait, and after each page of deletes that was followed by
 * another page or left something.
 *
 * 1. What DeleteChunks came to is added up. Chunks whose function failed, and may be called again, wait and are tried again
 *    at once, except while an upcoming minute is on.
 * 2. Keys for which time or attempts ran out, or the age of MAX_CHILD_SECONDS: the child ends, and hands its target on
 *    unless it got nowhere.
 * 3. Keys that are deferred get a poll of their own, from the start of the windows, which finds them again: after 1, 2, 4
 *    … seconds (full jitter, capped) as long as such polls leave something, and from 1 on again when one leaves nothing.
 * 4. A poll that is due is made: a page of what is expired goes to DeleteChunks. A DynamoDB that is too busy for it gets
 *    the same waits.
 * 5. Nothing is due: wait for the next poll, or end when there is none.
 * 6. A child that may not delete as fast as it can makes no poll before it may delete again, and none of more keys than it may
 *    delete then. When its part of `maxDeletesPerSecond` ends, it ends, and leaves what it has not done to a later sweep.
 * 7. What is known to be held is counted and passed over. A delete would refuse it, but it would have used up the limit of those behind it.
 * 8. All of this is decided as if it were so much earlier as the sweep is behind.
 * 9. What is expired is decided by DynamoDB's clock, and all else by the machine's, which waits. How they differ is seen at each poll.
 */
export async function nextStep(
  input: QueryExpiredInput,
  options: NextStepOptions,
): Promise<QueryExpiredOutput> {
  const behind = secondsBehind(options.pace);
  return afterGrace(await decide(beforeGrace(input, behind), options), behind);
}

async function decide(
  { progress: from, results, startedAt, now }: QueryExpiredInput,
  options: NextStepOptions,
): Promise<QueryExpiredOutput> {
  const nowMs = Date.parse(now);
  const calledAt = options.clock();
  const before = startProgress(from);
  const ageMs = Date.parse(startedAt) + MAX_CHILD_SECONDS * 1000;
  const outOfLimit = nowMs >= endOfLimitMs(before);
  const deadlineMs = outOfLimit ? ageMs : Math.min(ageMs, endOfLimitMs(before));
  const {
    progress: added,
    gaveUp,
    deferredTtls,
    again,
  } = addResults(
    before,
    results,
    chunk => (nowMs < deadlineMs ? retryChunk(chunk, nowMs, options.pace, options.random) : undefined),
    options.showKey,
  );

  if (outOfLimit && (nowMs >= ageMs || !hasKeptUp(added, nowMs))) return end(added, leaveForLater(added));
  if (gaveUp > 0 || nowMs >= ageMs) return end(added, stopEarly(added));

  if (again.length > 0) return deleteChunks(added, again, nowMs, deadlineMs);

  const nowSeconds = Math.floor(nowMs / 1000);
  const rated = results.length === 0 ? added : afterDeletes(before, added, nowSeconds);
  const progress = withCredit(scheduleRetry(rated, deferredTtls, nowMs, options), nowSeconds);
  if (nowMs < (nextWake(progress) ?? Number.POSITIVE_INFINITY)) return waitOrEnd(progress, deadlineMs);

  await sleepRest(ownMoment(progress, nowMs), nowMs, options.sleep);
  const polling = beginPoll(wasBraked(rated, progress) ? countBraked(progress) : progress, nowMs);
  let page: PolledPage;
  try {
    page = await readPage(polling, {
      ...options,
      machineClock: () => nowMs + options.clock() - calledAt,
      maxKeys: keysAllowed(polling),
      outOfTime: timeToRead(polling),
    });
  } catch (error) {
    if (!(error instanceof DynamoDbBusyError)) throw error;
    // Nothing was read, so nothing of this poll has begun.
    return waitOrEnd(afterBusy(progress, nowMs, options), deadlineMs);
  }
  const read = afterPage(polling, page, options);
  if (read.dryRun) return waitOrEnd(read, deadlineMs);
  const held = await options.readHeld?.(page.due);
  const due = page.due.filter(entry => !held?.has(entry));
  const passed: ChildProgress = { ...read, held: read.held + page.due.length - due.length };
  return due.length === 0
    ? waitOrEnd(passed, deadlineMs)
    : deletePage(passed, due, page.cutoff, nowMs, deadlineMs);
}

/**
 * Whether so much time is gone that a further query, with its second attempt, might not end in time. By second a page takes
 * many queries.
 */
function timeToRead(progress: ChildProgress): () => boolean {
  const startedAt = performance.now();
  const budgetMs = queryTimeoutSeconds(progress) * 200;
  return () => performance.now() - startedAt > budgetMs;
}

/** There was something to do before the child might delete again. */
function wasBraked(before: ChildProgress, progress: ChildProgress): boolean {
  const until = brakedUntil(before);
  const dueMs = nextDue(progress);
  return until !== null && dueMs !== null && dueMs < until * 1000;
}

function countBraked(progress: ChildProgress): ChildProgress {
  return { ...progress, braked: progress.braked + 1 };
}

function endOfLimitMs({ limit }: ChildProgress): number {
  return (limit?.before ?? Number.POSITIVE_INFINITY) * 1000;
}

/** All that is left is the last poll of its upcoming minute, which is due at the end of that. */
function hasKeptUp({ position, deferred, pollAt, busyUntilMs }: ChildProgress, nowMs: number): boolean {
  const waitsForNothing = position === null && deferred === 0 && busyUntilMs === null;
  return waitsForNothing && pollAt !== null && pollAt * 1000 > nowMs - 1000;
}

/** It is late, not failed: a later sweep finds again what is left. */
function leaveForLater(progress: ChildProgress): ShardResult {
  const { position, pollAt, deferred, busyPolls } = progress;
  const isDone = position === null && pollAt === null && deferred === 0 && busyPolls === 0;
  const left = { ...progress, deferred: 0, deferredKeys: [], leftForLater: isDone ? 0 : 1 };
  return endShard(left, { interrupted: false });
}

/** Time or attempts ran out. What could be done in this child can be done in the next one too. */
function stopEarly(progress: ChildProgress): ShardResult {
  const unread = progress.position !== null || progress.pollAt !== null || progress.busyPolls > 0;
  if (!unread && progress.deferred === 0) return endShard(progress, { interrupted: false });
  const isOnlyBraked = brakedUntil(progress) !== null && progress.throttled === 0 && progress.failed === 0;
  return madeProgress(progress) || isOnlyBraked
    ? handOn(progress)
    : endShard(progress, { interrupted: unread });
}

/**
 * Gives what is deferred a poll of its own: soon for what is deferred for the first time, whatever else has been waiting
 * for long; later and later for what such a poll has left again.
 */
function scheduleRetry(
  progress: ChildProgress,
  deferredTtls: readonly number[],
  nowMs: number,
  { pace, random }: NextStepOptions,
): ChildProgress {
  const { deferred, position, retriedUpTo } = progress;
  if (deferredTtls.length === 0) {
    // Only the end of a poll tells that it left nothing.
    return deferred === 0 && position === null ? { ...progress, deferredPolls: 0 } : progress;
  }
  const isAgain = (ttl: number) => retriedUpTo !== null && ttl <= retriedUpTo;
  const leftAgain = deferredTtls.some(isAgain);
  const deferredPolls = Math.max(1, progress.deferredPolls + (leftAgain ? 1 : 0));
  const waits = [
    ...(progress.retryAtMs === null ? [] : [progress.retryAtMs]),
    ...(leftAgain ? [nowMs + backoffMs(deferredPolls, pace, random)] : []),
    ...(deferredTtls.every(isAgain) ? [] : [nowMs + backoffMs(1, pace, random)]),
  ];
  return { ...progress, deferredPolls, retryAtMs: Math.min(...waits) };
}

/** A poll for what is deferred begins at the start of the windows, and so takes everything else that is due too. */
function beginPoll(progress: ChildProgress, nowMs: number): ChildProgress {
  if (isRetryDue(progress, nowMs)) return fromTheStart(progress);
  return progress.position === null ? { ...progress, retriedUpTo: null } : progress;
}

/** In the middle of a poll nothing begins from the start: pages of what is stuck would keep those behind them waiting. */
function isRetryDue({ retryAtMs, position }: ChildProgress, nowMs: number): boolean {
  return retryAtMs !== null && position === null && wholeSecond(retryAtMs) <= nowMs;
}

/** It finds again what failed and what is held, which is still there, and counts it then. */
function fromTheStart(progress: ChildProgress): ChildProgress {
  return {
    ...progress,
    retriedUpTo: progress.seen,
    seen: null,
    retryAtMs: null,
    deferred: 0,
    deferredKeys: [],
    failed: 0,
    failedKeys: [],
    held: 0,
  };
}

function afterBusy(progress: ChildProgress, nowMs: number, { pace, random }: NextStepOptions): ChildProgress {
  const busyPolls = progress.busyPolls + 1;
  return { ...progress, busyPolls, busyUntilMs: nowMs + backoffMs(busyPolls, pace, random) };
}

function afterPage(
  polling: ChildProgress,
  { due, position, nextExpiry, cutoff, ahead }: PolledPage,
  { pace, showKey }: NextStepOptions,
): ChildProgress {
  const pollAt = nextPollAt(polling.target, pace, cutoff, {
    nextExpiry,
    tookSeveralPages: polling.position !== null,
  });
  const samples = polling.dryRun ? due.slice(0, LISTED_KEYS).map(({ key }) => showKey(key)) : [];
  return {
    ...polling,
    busyPolls: 0,
    busyUntilMs: null,
    position,
    // Another one of DynamoDB's servers may be a little behind.
    seen: position === null ? Math.max(cutoff, polling.seen ?? cutoff) : polling.seen,
    pollAt: position === null ? (pollAt === null ? null : pollAt - ahead) : polling.pollAt,
    lastDue: due.length,
    found: polling.found + (polling.dryRun ? due.length : 0),
    sampleKeys: firstThatFit(
      [...polling.sampleKeys, ...samples.filter(key => key !== undefined)],
      polling.listedKeysBytes,
    ),
  };
}

function deletePage(
  read: ChildProgress,
  due: readonly ExpiredKey[],
  cutoff: number,
  nowMs: number,
  deadlineMs: number,
): QueryExpiredOutput {
  const { target } = read;
  // Waiting for capacity would keep what expires meanwhile waiting too.
  const inItsMinute = cutoff < target.before || Number.isFinite(endOfLimitMs(read));
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
  const chunks = toChunks(due).map((keys): Chunk => ({ ...chunk, keys }));
  return deleteChunks(spend(read, due.length), chunks, nowMs, deadlineMs);
}

function deleteChunks(
  before: ChildProgress,
  chunks: readonly Chunk[],
  nowMs: number,
  deadlineMs: number,
): QueryExpiredOutput {
  const inFlight = chunks.reduce((sum, { keys }) => sum + keys.length, 0);
  const progress: ChildProgress = { ...before, inFlight };
  const wakeMs = nextWake(progress);
  const waits = wakeMs !== null && wakeMs > nowMs;
  return step(progress, {
    next: 'delete',
    chunks,
    afterwards: waits ? 'wait' : 'query',
    until: waits ? untilOrDeadline(wakeMs, deadlineMs) : null,
  });
}

function waitOrEnd(progress: ChildProgress, deadlineMs: number): QueryExpiredOutput {
  const wakeMs = nextWake(progress);
  if (wakeMs === null) return end(progress, endShard(progress, { interrupted: false }));
  if (wakeMs === AT_ONCE) return step(progress, { next: 'query' });
  return step(progress, { next: 'wait', until: untilOrDeadline(wakeMs, deadlineMs) });
}

const AT_ONCE = 0;

/** When there is something to do that may be done, epoch milliseconds, a whole second; null when nothing is left. */
function nextWake(progress: ChildProgress): number | null {
  const dueMs = nextDue(progress);
  const brakedMs = (brakedUntil(progress) ?? 0) * 1000;
  return dueMs === null ? null : Math.max(dueMs, brakedMs);
}

function nextDue({ position, pollAt, retryAtMs, busyUntilMs }: ChildProgress): number | null {
  if (busyUntilMs !== null) return wholeSecond(busyUntilMs);
  if (position !== null) return AT_ONCE;
  if (retryAtMs === null) return pollAt === null ? null : pollAt * 1000;
  return Math.min(wholeSecond(retryAtMs), pollAt === null ? retryAtMs : pollAt * 1000);
}

/**
 * The moment, within the second in which a wait ended, at which this poll is made, epoch milliseconds: what was throttled
 * together spreads over that second. A poll for what expires right then does not wait.
 */
function ownMoment({ pollAt, retryAtMs, busyUntilMs, position }: ChildProgress, nowMs: number): number {
  if (busyUntilMs !== null) return busyUntilMs;
  const onlyRetry = position === null && (pollAt === null || pollAt * 1000 > nowMs);
  return onlyRetry ? (retryAtMs ?? nowMs) : nowMs;
}

function wholeSecond(epochMs: number): number {
  return Math.floor(epochMs / 1000) * 1000;
}

/** A wait that ended in the second before the deadline would be asked for again and again until then. */
function untilOrDeadline(epochMs: number, deadlineMs: number): string {
  return waitUntil(Math.min(epochMs / 1000, Math.ceil(deadlineMs / 1000)));
}

function step(
  progress: ChildProgress,
  answer: Pick<QueryExpiredOutput, 'next'> & Partial<QueryExpiredOutput>,
): QueryExpiredOutput {
  // A call that sleeps up to a second first must still be able to say that DynamoDB hangs. After deletes that left keys the
  // next call may too.
  const maySleep = answer.next === 'delete' || progress.busyUntilMs !== null || progress.retryAtMs !== null;
  const sleepSeconds = maySleep ? 1 : 0;
  const timeoutSeconds = queryTimeoutSeconds(progress) + sleepSeconds;
  return {
    until: null,
    timeoutSeconds: Math.min(timeoutSeconds, FUNCTION_TIMEOUT_SECONDS.QueryExpired),
    chunks: [],
    afterwards: 'query',
    results: [],
    progress,
    result: null,
    ...answer,
  };
}

function end(progress: ChildProgress, result: ShardResult): QueryExpiredOutput {
  return step(progress, { next: 'end', result });
}
