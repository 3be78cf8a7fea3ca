import type { ChildStart, ChildSweep, SweepPart, SweepTarget } from '../../statemachine/contract/child.ts';
import type { PlanSweepOutput, TableSweep } from '../../statemachine/contract/execution.ts';
import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';
import {
  BACK_CHILDREN,
  BACK_SECONDS,
  CHILD_LISTED_KEYS_BYTES,
  GROUP_CHILDREN,
  MAX_CHILD_SECONDS,
  PLAN_BYTES,
  RESULTS_BYTES,
  SHARDS_OF_CHILD,
  TICK_CHILDREN,
} from '../../statemachine/contract/limits.ts';
import { childTimeouts } from '../../statemachine/contract/machines.ts';
import type { PlanFailure } from '../../statemachine/contract/report.ts';
import type { Seconds } from '../../statemachine/times.ts';
import { jsonBytes } from '../report/listed-keys.ts';
import { waitUntil } from '../retry/backoff.ts';
import { rangesOf } from '../table/index-layout.ts';
import type { ShardProbe, Spans } from './probe.ts';
import type { SweepLimit, TickRequest } from './sweep-input.ts';

const LEAST_PART_SECONDS = 120;

/** Deletes per second that one child can do, with a reserve. A table with a higher limit gets more children. */
const CHILD_PER_SECOND = 500;

/** Maximum size of a child's result, UTF-8 bytes; less if the results of many children must share {@link RESULTS_BYTES}. */
const MOST_RESULT_BYTES = 40_000;

export interface PlannedChild {
  readonly target: SweepTarget;
  /** Null: no note in the journal. Else the end of what may be noted, and which of how many children with the same TTLs this one is. */
  readonly note: { readonly before: Seconds; readonly part: Omit<SweepPart, 'tick'> } | null;
}

export interface TableChildren {
  readonly ahead: readonly number[];
  readonly upcoming: Spans['upcoming'];
  readonly back: readonly PlannedChild[];
}

export interface PlannedTable {
  readonly carried: CarriedSettings;
  readonly children: TableChildren;
  readonly oldestOverdueSeconds: number;
  readonly failure?: PlanFailure;
  /** A sweep deletes an item this many seconds after its TTL at the earliest. */
  readonly marginSeconds: number;
  readonly limit: SweepLimit | null;
}

/**
 * Plans a table's children: none for shards without expired or upcoming items. If the table has a limit of deletes per second, the same
 * child sweeps the lookback and the upcoming minute of a shard.
 * @param options `notesBefore`: end of the TTLs that children may note as swept, epoch seconds; null: the children note nothing
 */
export function planChildren(
  { from, before, upcoming }: Spans,
  probes: readonly ShardProbe[],
  { limit, notesBefore }: Pick<TickRequest, 'limit'> & { readonly notesBefore: Seconds | null },
): TableChildren {
  const inParts = (targets: readonly SweepTarget[]): PlannedChild[] =>
    targets.map((target, part) => ({
      target,
      note: notesBefore === null ? null : { before: notesBefore, part: { part, parts: targets.length } },
    }));
  const left = probes.filter(probe => probe.left !== undefined);
  const ahead = upcoming === null ? [] : probes.filter(({ isUpcoming }) => isUpcoming);
  const backFrom = Math.max(from, Math.floor(Math.min(...left.map(probe => probe.left ?? before))));
  if (limit !== null) {
    const all = probes
      .filter(probe => probe.left !== undefined || ahead.includes(probe))
      .map(({ shard }) => shard);
    const target = {
      from: left.length > 0 || upcoming === null ? backFrom : upcoming.from,
      before: ahead.length > 0 && upcoming !== null ? upcoming.before : before,
      upcomingFrom: ahead.length > 0 && upcoming !== null ? upcoming.from : null,
    };
    const most = Math.ceil(limit.perSecond / CHILD_PER_SECOND);
    return { ahead: [], upcoming, back: inParts(groupsOf(all, most).map(shards => ({ ...target, shards }))) };
  }
  const shards = left.map(({ shard }) => shard);
  const back = cutSpan({ from: backFrom, before }, shards, BACK_CHILDREN, LEAST_PART_SECONDS).flatMap(
    inParts,
  );
  return { ahead: ahead.map(({ shard }) => shard), upcoming, back };
}

/**
 * Cuts a span of expired TTLs into at most `most` targets: first by TTL, then by shards.
 * @returns for each range of TTLs, its targets
 */
export function cutSpan(
  { from, before }: { readonly from: number; readonly before: number },
  shards: readonly number[],
  most: number,
  leastSeconds: number,
): SweepTarget[][] {
  const parts = Math.max(1, Math.min(most, Math.floor((before - from) / leastSeconds)));
  const seconds = Math.ceil((before - from) / parts);
  const groups = groupsOf(shards, Math.floor(most / parts));
  return Array.from({ length: parts }, (_unused, part) => from + part * seconds)
    .filter(start => start < before)
    .map(start =>
      groups.map(ranges => ({
        ...{ shards: ranges, from: start, before: Math.min(before, start + seconds), upcomingFrom: null },
      })),
    );
}

function groupsOf(shards: readonly number[], most: number): string[] {
  const size = Math.ceil(shards.length / Math.max(1, Math.min(most, shards.length)));
  return Array.from({ length: Math.ceil(shards.length / size) || 0 }, (_unused, group) =>
    rangesOf(shards.slice(group * size, (group + 1) * size)),
  );
}

/** Puts the children of all tables into groups. The tables take turns, so that a table with many children does not delay other tables. */
export function tickChildren(
  tables: readonly PlannedTable[],
  { startedAtMs, nowMs }: { readonly startedAtMs: number; readonly nowMs: number },
): PlanSweepOutput {
  const aheadOf = (
    { children: { ahead, upcoming } }: PlannedTable,
    shardsOfChild: number,
  ): PlannedChild[] => {
    if (upcoming === null) return [];
    return groupsOf(ahead, Math.ceil(ahead.length / shardsOfChild)).map(shards => ({
      ...{ target: { shards, ...upcoming, upcomingFrom: upcoming.from }, note: null },
    }));
  };
  let shardsOfChild = SHARDS_OF_CHILD;
  const count = () =>
    tables.reduce((sum, table) => sum + aheadOf(table, shardsOfChild).length + table.children.back.length, 0);
  while (count() > TICK_CHILDREN && shardsOfChild < 1_024) shardsOfChild *= 2;
  // Each tick begins with another table: the last children may not fit into a tick, and must not be of the same table every time.
  const first = Math.floor(startedAtMs / 60_000) % Math.max(1, tables.length);
  const queues = [...tables.slice(first), ...tables.slice(0, first)].map(table => ({
    table,
    children: [...aheadOf(table, shardsOfChild), ...table.children.back],
  }));
  const wanted = inTurn(queues.map(({ table, children }) => children.map(child => ({ table, child }))));
  const taken = wanted.slice(0, TICK_CHILDREN);
  const resultBytes = Math.min(MOST_RESULT_BYTES, Math.floor(RESULTS_BYTES / Math.max(1, taken.length)));
  const starts: ChildStart[] = [];
  let bytes = tables.reduce((sum, table) => sum + jsonBytes(sweepOf(table, 0, table.failure ?? NO_ROOM)), 0);
  const targets = new Map<PlannedTable, number>();
  for (const { table, child } of taken) {
    const children = taken.filter(each => each.table === table).length;
    const start = childStart(table, child, { startedAtMs, nowMs }, { children, resultBytes });
    bytes += jsonBytes(start) + 1 + (targets.has(table) ? 0 : jsonBytes(table.carried));
    if (bytes > PLAN_BYTES) break;
    starts.push(start);
    targets.set(table, (targets.get(table) ?? 0) + 1);
  }
  const noRoom = new Set(wanted.slice(starts.length).map(({ table }) => table));
  const sweeps = tables.flatMap(table => {
    const failure = noRoom.has(table) ? NO_ROOM : table.failure;
    const sweep = sweepOf(table, targets.get(table) ?? 0, failure);
    return targets.has(table) || failure !== undefined ? [sweep] : [];
  });
  const groups = Array.from({ length: Math.ceil(starts.length / GROUP_CHILDREN) }, (_unused, group) => ({
    due: starts.slice(group * GROUP_CHILDREN, (group + 1) * GROUP_CHILDREN),
  }));
  const next = starts.length > 0 ? 'sweep' : sweeps.length > 0 ? 'record' : 'end';
  return { next, groups, due: [], results: [], sweeps: Object.fromEntries(sweeps) };
}

function sweepOf(
  { carried, oldestOverdueSeconds }: PlannedTable,
  targets: number,
  failure: PlanFailure | undefined,
): readonly [tableName: string, sweep: TableSweep] {
  const { tableName } = carried;
  const settings = targets === 0 ? { tableName, precision: carried['precision'] } : carried;
  return [tableName, { settings, targets, oldestOverdueSeconds, ...(failure && { failure }) }];
}

const NO_ROOM: PlanFailure = {
  error: 'TickTooLargeError',
  message: 'More is due at once than one tick can plan. Give some tables a deployment of their own.',
};

function inTurn<Each>(lists: readonly (readonly Each[])[]): Each[] {
  const most = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: most }, (_unused, turn) =>
    lists.flatMap(list => list.slice(turn, turn + 1)),
  ).flat();
}

function childStart(
  { carried, limit, marginSeconds }: PlannedTable,
  { target, note }: PlannedChild,
  { startedAtMs, nowMs }: { readonly startedAtMs: number; readonly nowMs: number },
  { children, resultBytes }: { readonly children: number; readonly resultBytes: number },
): ChildStart {
  const perSecond = (limit?.perSecond ?? 0) / children;
  const isBack = target.upcomingFrom === null && limit === null;
  return startOf(carried.tableName, limit?.from ?? target.upcomingFrom, marginSeconds, {
    target,
    dryRun: false,
    limit: limit && { perSecond, credit: Math.max(1, Math.floor(perSecond)), before: limit.before },
    endsAfter: isBack ? Math.ceil((nowMs - startedAtMs) / 1000) + BACK_SECONDS : MAX_CHILD_SECONDS,
    note: note && { ...note, part: { tick: new Date(startedAtMs).toISOString(), ...note.part } },
    ...resultLimits(resultBytes),
  });
}

export function resultLimits(resultBytes: number): Pick<ChildSweep, 'resultBytes' | 'listedKeysBytes'> {
  return { resultBytes, listedKeysBytes: Math.min(CHILD_LISTED_KEYS_BYTES, Math.floor(resultBytes / 3)) };
}

export function startOf(
  table: string,
  from: number | null,
  marginSeconds: number,
  sweep: ChildSweep,
): ChildStart {
  return {
    table,
    next: from === null ? 'query' : 'wait',
    until: from === null ? null : waitUntil(from + marginSeconds),
    timeoutSeconds: childTimeouts(sweep.target.upcomingFrom).QueryExpired,
    sweep,
  };
}
