import type {
  ChildProgress,
  QueryExpiredInput,
  QueryExpiredOutput,
} from '../../statemachine/contract/child.ts';
import { childTimeouts } from '../../statemachine/contract/machines.ts';
import type { Millis } from '../../statemachine/times.ts';
import { type Planning, planDeletes, toChunks } from '../child/plan-chunks.ts';
import { addUp, countFound, failLeft, type Listing, startProgress } from '../child/progress.ts';
import { resultOf } from '../child/shard-result.ts';
import { backoffMs, waitUntil } from '../retry/backoff.ts';
import type { SweepSettings } from '../runtime/environment.ts';
import { DynamoDbBusyError } from '../runtime/errors.ts';
import { countEntries, entriesToTake, type IndexReaders, readPage } from './read-page.ts';

export interface NextStepOptions extends IndexReaders, Pick<Listing, 'showKey'> {
  readonly settings: Pick<SweepSettings, 'deleteMode' | 'pollSeconds' | 'marginSeconds'>;
  readonly random: () => number;
  /** The function's own clock, epoch milliseconds. */
  readonly clock: () => Millis;
}

/** If `pollSeconds` is 0, a child plans deletes up to this long after now. With less, the child would call QueryExpired more often. */
const AHEAD_SECONDS = 60;

/** Deletes are planned ahead only if DynamoDB's clock is at most this far behind the state machine's: `clockSkewMs` plus `lateMs`. */
const PLAN_WITHIN_MS = 200;

/**
 * Time limit for reading index entries in one call of QueryExpired; the next call reads on. The limit is lower for an upcoming minute,
 * because its first items are not deleted before the call has ended.
 */
const READ_MS = { upcoming: 600, back: 2_000 } as const;

/** Decides a child's next step. Items expire by DynamoDB's clock, but Wait states end by the state machine's clock. */
export async function nextStep(
  { sweep, progress, results, startedAt, now }: QueryExpiredInput,
  options: NextStepOptions,
): Promise<QueryExpiredOutput> {
  const { clock } = options;
  const { target, limit } = sweep;
  const [nowMs, calledAt] = [Date.parse(now), clock()];
  const { marginSeconds } = options.settings;
  const endMs = Date.parse(startedAt) + sweep.endsAfter * 1000;
  const limitMs = ((limit?.before ?? Number.POSITIVE_INFINITY) + marginSeconds) * 1000;
  const child: Child = {
    ...{ ...options, sweep, marginSeconds, nowMs, lateMs: calledAt - nowMs, endMs: Math.min(endMs, limitMs) },
    machineClock: () => nowMs + clock() - calledAt,
  };
  const before = progress ?? startProgress(sweep, nowMs);
  const { after, isPaused } = addUp(before, results, child);

  if (after.cursor >= target.before) return end(after, child);
  if (isPaused || (nowMs >= limitMs && nowMs < endMs))
    return end({ ...after, counts: { ...after.counts, leftForLater: 1 } }, child);
  if (nowMs >= endMs) return endEarly(after, child);
  if (after.stuck > before.stuck) return waitLonger(after, nowMs, child);
  try {
    return sweep.dryRun ? await countDue(after, child) : await nextPage(after, child);
  } catch (error) {
    if (!(error instanceof DynamoDbBusyError)) throw error;
    return waitLonger({ ...after, stuck: after.stuck + 1 }, child.machineClock(), child);
  }
}

interface Child extends NextStepOptions, Planning {
  readonly nowMs: Millis;
  /** Time from the state's start (by the state machine's clock) to the function's start (by the function's own clock). */
  readonly lateMs: Millis;
}

async function nextPage(progress: ChildProgress, child: Child): Promise<QueryExpiredOutput> {
  const { sweep, settings, marginSeconds, machineClock, nowMs, lateMs } = child;
  const { target } = sweep;
  const isUpcoming = target.upcomingFrom !== null;
  const mayPlan = isUpcoming && settings.deleteMode === 'guarded';
  const ahead = mayPlan ? settings.pollSeconds || AHEAD_SECONDS : 0;
  const nowTtl = Math.floor(nowMs / 1000) - marginSeconds;
  const page = await readPage(
    target,
    progress.cursor,
    isUpcoming ? Math.min(target.before, Math.max(nowTtl + ahead, progress.cursor)) : target.before,
    { ...child, ...{ patienceMs: READ_MS[isUpcoming ? 'upcoming' : 'back'], left: progress.left.length } },
  );
  // When the function starts, `machineClock` shows `nowMs`, the state's start: it may be `lateMs` behind the state machine's clock.
  const isKnown = mayPlan && page.clockSkewMs + Math.max(0, lateMs) <= PLAN_WITHIN_MS;
  const wanted = entriesToTake(page, progress.left, isKnown ? ahead : 0, settings);
  const { planned, credit } = planDeletes(wanted, page, progress, child);
  const firstLeft = wanted[planned.length];
  // The cursor passes only expired TTLs, because writers may still write items with later TTLs.
  const passed = Math.min(page.knownUpTo, page.cutoff);
  // A child that does not poll may end after its planned deletes: the next tick finds items written later.
  const mayEnd = isKnown && settings.pollSeconds === 0;
  const plannedUpTo = page.cutoff + (mayEnd ? ahead : 0);
  const isRead = firstLeft === undefined && Math.min(page.knownUpTo, plannedUpTo) >= target.before;
  const upTo = firstLeft === undefined ? passed : Math.min(passed, Math.ceil(firstLeft.ttl) - 1);
  const after: ChildProgress = {
    ...progress,
    cursor: isRead ? target.before : Math.max(progress.cursor, upTo),
    stuck: planned.length > 0 ? progress.stuck : 0,
    left: progress.left.filter(
      ({ ttl }) => ttl > page.cutoff || (firstLeft !== undefined && ttl >= firstLeft.ttl),
    ),
    credit,
  };
  if (planned.length > 0) {
    const counts = { ...after.counts, inFlight: planned.length };
    return step({ ...after, counts }, child, { next: 'delete', chunks: toChunks(planned, page, child) });
  }
  if (isRead) return end(after, child);
  const isFull = page.knownUpTo < Math.min(target.before, page.cutoff);
  if (isFull && after.cursor > progress.cursor) return step(after, child, { next: 'query' });
  const now = Math.floor(machineClock() / 1000);
  const next =
    firstLeft !== undefined || isFull ? now + 1 : page.cutoff + (isKnown ? ahead : 1) + marginSeconds;
  return waitFor(after, Math.max(now + 1, Math.min(next, target.before + marginSeconds)) * 1000, child);
}

async function countDue(progress: ChildProgress, child: Child): Promise<QueryExpiredOutput> {
  const { target } = child.sweep;
  const counted = await countEntries(target, progress.cursor, { ...child, patienceMs: READ_MS.back });
  const isRead = counted.upTo >= target.before - 1;
  const cursor = isRead ? target.before : counted.upTo;
  const after = countFound({ ...progress, cursor, stuck: 0 }, counted, child);
  return isRead ? end(after, child) : step(after, child, { next: 'query' });
}

function waitLonger(progress: ChildProgress, fromMs: Millis, child: Child): QueryExpiredOutput {
  return waitFor(progress, fromMs + backoffMs(progress.stuck, child.random), child);
}

function waitFor(progress: ChildProgress, untilMs: Millis, child: Child): QueryExpiredOutput {
  return step(progress, child, { next: 'wait', until: waitUntil(Math.min(untilMs, child.endMs) / 1000) });
}

function end(
  progress: ChildProgress,
  child: Child,
  how: Parameters<typeof resultOf>[2] = {},
): QueryExpiredOutput {
  return step(progress, child, { next: 'end', result: resultOf(progress, child.sweep, how) });
}

/** Ends a child whose time is over. If the child made progress, a later child sweeps the rest; if not, the unprocessed keys fail. */
function endEarly(progress: ChildProgress, child: Child): QueryExpiredOutput {
  const { target, limit } = child.sweep;
  const { found, failed = 0 } = resultOf(progress, child.sweep);
  // The cursor does not pass `target.from` while items with this TTL are unprocessed. So a processed item also counts as progress, but not
  // an item that DynamoDB refused to delete: the next child would try the same item.
  const gotOn = progress.cursor > target.from || found > failed;
  if (gotOn || (limit !== null && found === 0 && progress.left.length === 0))
    return end(progress, child, { resume: { ...target, from: Math.max(target.from, progress.cursor) } });
  return end(failLeft(progress, child), child, { interrupted: progress.left.length === 0 });
}

function step(
  progress: ChildProgress,
  { sweep }: Child,
  answer: Pick<QueryExpiredOutput, 'next'> & Partial<QueryExpiredOutput>,
): QueryExpiredOutput {
  const timeoutSeconds = childTimeouts(sweep.target.upcomingFrom).QueryExpired;
  return { until: null, timeoutSeconds, chunks: [], progress, result: null, ...answer };
}
