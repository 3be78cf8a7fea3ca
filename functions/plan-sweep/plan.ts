import type { PlanCursor } from '../../statemachine/contract/execution.ts';
import { MAX_LOOKBACK_MINUTES } from '../../statemachine/contract/limits.ts';
import type { SweepTarget } from '../../statemachine/contract/targets.ts';
import { DynamoDbBusyError } from '../runtime/errors.ts';
import type { IndexLayout } from '../table/index-layout.ts';
import { joined } from './limited-targets.ts';
import type { SweepRequest } from './sweep-input.ts';

/** Most windows that a backlog is followed back: 12 hours in windows of a minute, or the longest lookback. */
const MAX_BACKLOG_WINDOWS = 720;

/** Most index keys that a limited tick probes to find a backlog behind a gap: half an hour by second. */
const MAX_GAP_KEYS = 1_800;

/** Options of planning. */
export interface PlanOptions {
  readonly layout: IndexLayout;
  /**
   * Returns the earliest TTL (epoch seconds) of the target's items; undefined when there is none. A target whose probe throws
   * DynamoDbBusyError counts as due.
   */
  readonly probe: (target: SweepTarget) => Promise<number | undefined>;
  /** Concurrent probes. */
  readonly concurrency: number;
  /** Most targets to return. */
  readonly maxDue: number;
  /** Whether upcoming minutes are polled even when no item is known to expire in them. */
  readonly watchAlways: boolean;
  /** Called between rounds of probes; true ends this call with a cursor. */
  readonly outOfTime: () => boolean;
}

/** The targets that are due, and a cursor when not all could be probed. */
export interface Plan {
  readonly due: SweepTarget[];
  readonly cursor: PlanCursor | null;
  /** The earliest TTL that earlier sweeps left, epoch seconds; undefined when they left none. */
  readonly oldestOverdue: number | undefined;
}

/**
 * Probes each shard for the upcoming minute, then, from the cursor, every (window, shard) in the lookback, and further back while items
 * are found. The minute comes first, since its children must run when it begins; the lookback goes from the oldest window to the newest.
 * The order is fixed, so a cursor is enough to continue.
 *
 * A window can be both in the lookback and in the upcoming minute; its key then has two targets. TTLs of the upcoming minute belong to the
 * one, TTLs before this tick to the other, and those in between to the tick before.
 */
export async function plan(
  request: SweepRequest,
  cursor: PlanCursor | null,
  options: PlanOptions,
): Promise<Plan> {
  const { due: upcoming, clear } =
    cursor === null ? await planUpcoming(request, options) : { due: [], clear: NONE_CLEAR };
  const maxDue = Math.max(0, options.maxDue - upcoming.length);
  const back = await planBack(request, cursor, { ...options, maxDue }, clear);
  const all = request.followsBacklog ? await followBacklog(request, back, { ...options, maxDue }) : back;
  const { cursor: next, oldestOverdue } = all;
  return { due: [...upcoming, ...oncePerWindow(all.due)], cursor: next, oldestOverdue };
}

/**
 * Joins targets of the same window. By second the end of an earlier probe may lie within a window, whose parts are then found one after
 * the other.
 */
function oncePerWindow(targets: readonly SweepTarget[]): SweepTarget[] {
  const byWindow = new Map<string, SweepTarget>();
  for (const target of targets) {
    const key = pairsOf(target).join();
    const other = byWindow.get(key);
    byWindow.set(key, other === undefined ? target : joined([other, target]));
  }
  return [...byWindow.values()];
}

const NONE_CLEAR: ReadonlySet<string> = new Set();

/**
 * Plans the windows of the lookback from the cursor, the oldest first.
 *
 * @param clear shards of windows without due items, as written by {@link pairOf}
 */
async function planBack(
  request: SweepRequest,
  cursor: PlanCursor | null,
  { layout, probe, concurrency, maxDue, outOfTime }: PlanOptions,
  clear = NONE_CLEAR,
): Promise<Plan> {
  const due: SweepTarget[] = [];
  let oldestOverdue: number | undefined;
  const pairs = pairsBack(request, cursor, layout, clear);
  let next = pairs.next();
  while (!next.done) {
    // A round never finds more than there is room for, so that no probe is wasted.
    const room = Math.min(concurrency, maxDue - due.length);
    if (room === 0 || outOfTime()) return { due, cursor: next.value.at, oldestOverdue };
    const round: SweepTarget[] = [];
    for (; !next.done && round.length < room; next = pairs.next()) round.push(next.value.target);
    for (const { target, earliest } of await probeAll(round, probe)) {
      if (earliest === undefined) continue;
      due.push(target);
      if (earliest !== null) oldestOverdue = Math.min(oldestOverdue ?? earliest, earliest);
    }
  }
  return { due, cursor: null, oldestOverdue };
}

/**
 * Follows a backlog. Entries in the oldest window of the lookback have been overdue for long, and more may be in earlier windows: the
 * sweep did not run, or was slowed down by `maxDeletesPerSecond`. So the plan goes back, twice as far each time, until a window is empty
 * or time is up. Windows that it does not reach are left to the next ticks.
 *
 * With a limit, a gap appears before a backlog as soon as fewer items expire than may be deleted. So a limited tick also looks behind
 * empty windows, as far as {@link MAX_GAP_KEYS} reach.
 */
async function followBacklog(request: SweepRequest, planned: Plan, options: PlanOptions): Promise<Plan> {
  const { layout, outOfTime } = options;
  let all = planned;
  const mostSeconds = backlogSeconds(layout);
  let { windowsFrom } = request;
  while (all.cursor === null && all.due.length < options.maxDue && !outOfTime()) {
    const [oldest = windowsFrom] = layout.windows(windowsFrom, request.windowsBefore);
    const length = request.windowsBefore - windowsFrom;
    const reach = request.limit === null ? 0 : Math.min(gapSeconds(layout), mostSeconds);
    const isLeft = all.due.some(target => target.windows[0]?.start === oldest);
    if (length > mostSeconds || !(isLeft || length < reach)) break;
    const windowsBefore = layout.holdsStrays ? oldest : windowsFrom;
    windowsFrom -= isLeft ? length : Math.min(length, reach - length);
    const maxDue = options.maxDue - all.due.length;
    const behind = await planBack({ ...request, windowsFrom, windowsBefore }, null, { ...options, maxDue });
    const overdue = [behind.oldestOverdue, all.oldestOverdue].filter(ttl => ttl !== undefined);
    const oldestOverdue = overdue.length > 0 ? Math.min(...overdue) : undefined;
    all = { due: [...behind.due, ...all.due], cursor: null, oldestOverdue };
  }
  return all;
}

/** Seconds of the windows that have {@link MAX_GAP_KEYS} keys in all shards. */
function gapSeconds({ windowSeconds, shards, keysPerShard }: IndexLayout): number {
  return Math.floor(MAX_GAP_KEYS / (shards * keysPerShard)) * windowSeconds;
}

function backlogSeconds({ windowSeconds }: IndexLayout): number {
  return Math.min(MAX_BACKLOG_WINDOWS * windowSeconds, MAX_LOOKBACK_MINUTES * 60);
}

interface PlanUpcoming {
  readonly due: SweepTarget[];
  /** Shards of windows without due items in the lookback, as written by {@link pairOf}. */
  readonly clear: ReadonlySet<string>;
}

/**
 * Plans one target per shard for the upcoming minute. By window, if the minute begins on the edge of a window, the target starts in the
 * window before, for items that were stamped in the older way.
 *
 * If the minute lies in a window of the lookback, one probe covers both. It reads in the order of TTL: no entry before the end of the
 * minute, or a first entry within the minute, answers both questions. If the first entry is earlier, it is overdue, or of the minute
 * before: then each is probed separately.
 */
async function planUpcoming(
  { upcoming, windowsBefore, from, before }: SweepRequest,
  { layout, probe, watchAlways }: PlanOptions,
): Promise<PlanUpcoming> {
  if (upcoming === null) return { due: [], clear: NONE_CLEAR };
  const windows = [...layout.windows(upcoming.from, upcoming.before)];
  const targets = Array.from(
    { length: layout.shards },
    (_unused, shard): SweepTarget => ({
      windows: windows.map(start => ({ start, shards: `${shard}` })),
      from: upcoming.from,
      before: upcoming.before,
      upcomingFrom: upcoming.from,
    }),
  );
  if (watchAlways) return { due: targets, clear: NONE_CLEAR };
  if (!windows.some(window => window < windowsBefore)) {
    return {
      due: (await probeAll(targets, probe)).filter(isDue).map(({ target }) => target),
      clear: NONE_CLEAR,
    };
  }
  const due: SweepTarget[] = [];
  const unsure: SweepTarget[] = [];
  const clear = new Set<string>();
  const answers = await probeAll(
    targets.map(target => ({ ...target, from })),
    probe,
  );
  for (const [index, { earliest }] of answers.entries()) {
    const target = targets[index];
    if (target === undefined) continue;
    if (earliest === undefined || (earliest !== null && earliest >= before)) {
      for (const pair of pairsOf(target)) clear.add(pair);
    }
    if (earliest === undefined) continue;
    if (earliest === null || earliest >= upcoming.from) due.push(target);
    else unsure.push(target);
  }
  const found = await probeAll(unsure, probe);
  return { due: [...due, ...found.filter(isDue).map(({ target }) => target)], clear };
}

interface Probed {
  readonly target: SweepTarget;
  /** Null when DynamoDB was too busy to answer. */
  readonly earliest: number | undefined | null;
}

function isDue({ earliest }: Probed): boolean {
  return earliest !== undefined;
}

/**
 * Probes each target. A day can have 1,440 windows: with some throttling one of them always fails, and a plan that failed with it would
 * never succeed. The target of a failed probe goes to a child, which queries again with its own retries. Only when all probes fail, the
 * plan fails, and the state's Retry waits.
 */
async function probeAll(targets: readonly SweepTarget[], probe: PlanOptions['probe']): Promise<Probed[]> {
  const answers = await Promise.allSettled(targets.map(probe));
  const refused = answers.flatMap(answer => (answer.status === 'rejected' ? [answer.reason as unknown] : []));
  const other = refused.find(reason => !(reason instanceof DynamoDbBusyError));
  if (other !== undefined) throw other;
  if (refused.length > 0 && refused.length === targets.length) throw refused[0];
  return targets.map((target, index) => {
    const answer = answers[index];
    return { target, earliest: answer?.status === 'fulfilled' ? answer.value : null };
  });
}

interface Pair {
  readonly at: PlanCursor;
  readonly target: SweepTarget;
}

function* pairsBack(
  request: SweepRequest,
  cursor: PlanCursor | null,
  layout: IndexLayout,
  clear: ReadonlySet<string>,
): Generator<Pair> {
  const { windowsFrom, windowsBefore } = request;
  const from = layout.holdsStrays ? request.from : Math.max(request.from, windowsFrom);
  const before = layout.holdsStrays ? request.before : Math.min(request.before, windowsBefore);
  for (const window of layout.windows(windowsFrom, windowsBefore)) {
    if (cursor && window < cursor.window) continue;
    for (let shard = cursor?.window === window ? cursor.shard : 0; shard < layout.shards; shard += 1) {
      if (clear.has(pairOf(window, shard))) continue;
      const windows = [{ start: window, shards: `${shard}` }];
      yield { at: { window, shard }, target: { windows, from, before, upcomingFrom: null } };
    }
  }
}

/** A shard of a window as text. */
function pairOf(start: number, shard: number | string): string {
  return `${start}#${shard}`;
}

/** The shards of a target's windows as texts, for a target with one shard. */
function pairsOf({ windows }: SweepTarget): string[] {
  return windows.map(({ start, shards }) => pairOf(start, shards));
}
