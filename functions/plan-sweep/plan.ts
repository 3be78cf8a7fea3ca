import type { PlanCursor } from '../../statemachine/contract/execution.ts';
import { MAX_LOOKBACK_MINUTES } from '../../statemachine/contract/limits.ts';
import type { SweepTarget } from '../../statemachine/contract/targets.ts';
import { DynamoDbBusyError } from '../runtime/errors.ts';
import type { IndexLayout } from '../table/index-layout.ts';
import { MAYBE } from '../table/index-query.ts';
import { joined } from './limited-targets.ts';
import type { SweepRequest } from './sweep-input.ts';

/** A backlog is followed back until it is longer than so many windows, 12 hours in windows of a minute, or than the longest lookback. */
const MAX_BACKLOG_WINDOWS = 720;

/** Keys of the index that a limited tick asks at the most to find a backlog behind a gap: half an hour by second. */
const MAX_GAP_KEYS = 1_800;

/** Options of planning. */
export interface PlanOptions {
  readonly layout: IndexLayout;
  /**
   * The earliest TTL (epoch seconds) that the target holds, but for those of items that are held; undefined when it holds nothing.
   * A target whose probe throws DynamoDbBusyError counts as due, and so does one of which it is not known (MAYBE).
   */
  readonly probe: (target: SweepTarget) => Promise<number | typeof MAYBE | undefined>;
  /** Probes in flight. */
  readonly concurrency: number;
  /** Most targets to return. */
  readonly maxDue: number;
  /** Upcoming minutes are polled even when nothing is known to expire in them. */
  readonly watchAlways: boolean;
  /** Asked between rounds of probes; true ends this call with a cursor. */
  readonly outOfTime: () => boolean;
}

/** The targets that are due, and where to go on when not all could be probed. */
export interface Plan {
  readonly due: SweepTarget[];
  readonly cursor: PlanCursor | null;
  /** The earliest TTL that earlier sweeps left, epoch seconds; undefined when they left none. */
  readonly oldestOverdue: number | undefined;
}

/**
 * Probes each shard for the upcoming minute, then every (window, shard) that the request looks back
 * to, from the cursor on, and beyond while there is something. The minute comes first, since its children must be there
 * when it begins; what lies back goes oldest window first. The order is fixed, so a cursor is enough to go on.
 *
 * A window can be both, and its key then has two targets. Their TTLs decide which of them an item belongs to: those of the upcoming
 * minute to the one, all before this tick to the other, and what lies between to the tick before.
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

/** By second the edge of what was probed first may lie within a window, whose parts are found one after the other: they are one target. */
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

interface PlanBack extends Plan {
  /** Those of the due ones that may hold nothing but what is held. */
  readonly maybe: ReadonlySet<SweepTarget>;
}

/** @param clear what is known to hold nothing of the request, as {@link pairOf} writes it */
async function planBack(
  request: SweepRequest,
  cursor: PlanCursor | null,
  { layout, probe, concurrency, maxDue, outOfTime }: PlanOptions,
  clear = NONE_CLEAR,
): Promise<PlanBack> {
  const due: SweepTarget[] = [];
  const maybe = new Set<SweepTarget>();
  let oldestOverdue: number | undefined;
  const pairs = pairsBack(request, cursor, layout, clear);
  let next = pairs.next();
  while (!next.done) {
    // A round never finds more than there is room for, so no probe's answer is thrown away.
    const room = Math.min(concurrency, maxDue - due.length);
    if (room === 0 || outOfTime()) return { due, maybe, cursor: next.value.at, oldestOverdue };
    const round: SweepTarget[] = [];
    for (; !next.done && round.length < room; next = pairs.next()) round.push(next.value.target);
    for (const { target, earliest } of await probeAll(round, probe)) {
      if (earliest === undefined) continue;
      due.push(target);
      if (earliest === MAYBE) maybe.add(target);
      else if (earliest !== null) oldestOverdue = Math.min(oldestOverdue ?? earliest, earliest);
    }
  }
  return { due, maybe, cursor: null, oldestOverdue };
}

/**
 * Entries in the oldest window of the lookback have been left for long, and more may lie behind it: the sweep stood
 * still, or was held back by `maxDeletesPerSecond`. So the plan goes on backwards, twice as far each time, until a window is
 * empty or time is up. The windows that it does not reach then are left to the ticks that follow, and to the daily scan.
 *
 * With a limit a backlog has a gap before it as soon as less expires than may be deleted. So a limited tick also looks behind
 * empty windows, as far as {@link MAX_GAP_KEYS} reach. A window that holds nothing but what is held is as good as empty.
 */
async function followBacklog(
  request: SweepRequest,
  planned: PlanBack,
  options: PlanOptions,
): Promise<PlanBack> {
  const { layout, outOfTime } = options;
  let all = planned;
  const mostSeconds = backlogSeconds(layout);
  let { windowsFrom } = request;
  while (all.cursor === null && all.due.length < options.maxDue && !outOfTime()) {
    const [oldest = windowsFrom] = layout.windows(windowsFrom, request.windowsBefore);
    const length = request.windowsBefore - windowsFrom;
    const reach = request.limit === null ? 0 : Math.min(gapSeconds(layout), mostSeconds);
    const { maybe } = all;
    const isLeft = all.due.some(target => !maybe.has(target) && target.windows[0]?.start === oldest);
    if (length > mostSeconds || !(isLeft || length < reach)) break;
    const windowsBefore = layout.holdsStrays ? oldest : windowsFrom;
    windowsFrom -= isLeft ? length : Math.min(length, reach - length);
    const maxDue = options.maxDue - all.due.length;
    const behind = await planBack({ ...request, windowsFrom, windowsBefore }, null, { ...options, maxDue });
    const overdue = [behind.oldestOverdue, all.oldestOverdue].filter(ttl => ttl !== undefined);
    const oldestOverdue = overdue.length > 0 ? Math.min(...overdue) : undefined;
    all = {
      due: [...behind.due, ...all.due],
      maybe: new Set([...behind.maybe, ...maybe]),
      cursor: null,
      oldestOverdue,
    };
  }
  return all;
}

/** As many windows as have {@link MAX_GAP_KEYS} in all shards. */
function gapSeconds({ windowSeconds, shards, keysPerShard }: IndexLayout): number {
  return Math.floor(MAX_GAP_KEYS / (shards * keysPerShard)) * windowSeconds;
}

function backlogSeconds({ windowSeconds }: IndexLayout): number {
  return Math.min(MAX_BACKLOG_WINDOWS * windowSeconds, MAX_LOOKBACK_MINUTES * 60);
}

interface PlanUpcoming {
  readonly due: SweepTarget[];
  /** Shards of windows without anything that the request looks back to, as {@link pairOf} writes them. */
  readonly clear: ReadonlySet<string>;
}

/**
 * One target a shard for the upcoming minute. By window it starts in the window before when the minute begins on an edge, for items
 * stamped the older way.
 *
 * Where the minute lies in a window that the request also looks back to, one probe asks for both: it reads in the order of TTL, so that
 * nothing up to the end of the minute, or first something of the minute, says all there is to know. What it finds before is held, or
 * overdue, or the minute's before: then each is probed for itself.
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
    if (earliest === undefined || (typeof earliest === 'number' && earliest >= before)) {
      for (const pair of pairsOf(target)) clear.add(pair);
    }
    if (earliest === null || (typeof earliest === 'number' && earliest >= upcoming.from)) due.push(target);
    else if (earliest !== undefined) unsure.push(target);
  }
  const found = await probeAll(unsure, probe);
  return { due: [...due, ...found.filter(isDue).map(({ target }) => target)], clear };
}

interface Probed {
  readonly target: SweepTarget;
  /** Null when DynamoDB was too busy to say. */
  readonly earliest: number | typeof MAYBE | undefined | null;
}

function isDue({ earliest }: Probed): boolean {
  return earliest !== undefined;
}

/**
 * Probes each target. A day can have 1,440 windows: with some throttling one of so many probes always fails, and a plan that failed with it
 * would never succeed. The target of a failed probe goes to a child, which asks again and has retries of its own. Only when all probes fail
 * does the plan fail, and the Retry of the state waits.
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

/** A shard of a window as a text. */
function pairOf(start: number, shard: number | string): string {
  return `${start}#${shard}`;
}

/** Those of a target with one shard. */
function pairsOf({ windows }: SweepTarget): string[] {
  return windows.map(({ start, shards }) => pairOf(start, shards));
}
