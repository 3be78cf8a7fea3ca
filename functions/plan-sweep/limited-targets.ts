import type { SweepTarget } from '../../statemachine/contract/targets.ts';
import { joinedWindows, shardsOfTarget } from '../table/target-windows.ts';
import type { SweepLimit } from './sweep-input.ts';

/** Deletes per second that one child reaches with some reserve: a few pages, in concurrent chunks. */
const CHILD_PER_SECOND = 500;

/** A target for a child that has a share of the limit. */
export interface LimitedTarget {
  readonly target: SweepTarget;
  /** Number of targets of the plan that it joins. */
  readonly weight: number;
}

/**
 * Joins the targets into as few children as the limit keeps busy. A child that is done with one window continues with another, because the
 * share of a child that has ended is lost.
 *
 * With an upcoming minute, each of its children also sweeps the older targets that the plan found for its shards, the oldest first.
 * Otherwise each child has windows of every age.
 *
 * @param concurrency children that run at once; 0 = all
 */
export function limitedTargets(
  targets: readonly SweepTarget[],
  limit: SweepLimit,
  concurrency: number,
): LimitedTarget[] {
  const back = targets.filter(isBack);
  const others = targets.filter(target => !isBack(target));
  const isUpcoming = others.length > 0 && others.every(({ upcomingFrom }) => upcomingFrom !== null);
  if (isUpcoming) return withBack(others, back);
  const room = concurrency === 0 ? back.length : Math.max(1, concurrency - others.length);
  const children = Math.min(back.length, room, Math.ceil(limit.perSecond / CHILD_PER_SECOND));
  const groups = dealt(back, children);
  return [
    ...others.map(target => ({ target, weight: 1 })),
    ...groups.map(group => ({ target: joined(group), weight: group.length })),
  ];
}

function isBack({ upcomingFrom, position }: SweepTarget): boolean {
  return upcomingFrom === null && !position;
}

/** Adds the older targets. The backlog of a shard without an upcoming target goes to any child. */
function withBack(upcoming: readonly SweepTarget[], back: readonly SweepTarget[]): LimitedTarget[] {
  const childOf = new Map(
    upcoming.flatMap((target, child) => shardsOfTarget(target).map(shard => [shard, child] as const)),
  );
  const chosen = back.map((target, index) => {
    const [shard = 0] = shardsOfTarget(target);
    return childOf.get(shard) ?? index % upcoming.length;
  });
  return upcoming.map((target, child) => {
    const own = back.filter((_target, index) => chosen[index] === child);
    return { target: joined([...own, target]), weight: 1 };
  });
}

/** Splits targets into this number of groups, in turn: each group has some of every age. */
export function dealt(targets: readonly SweepTarget[], groups: number): SweepTarget[][] {
  return Array.from({ length: groups }, (_unused, group) =>
    targets.filter((_target, index) => index % groups === group),
  );
}

/** Joins several targets into one, which is swept with the settings of the last. */
export function joined(targets: readonly SweepTarget[]): SweepTarget {
  const last = targets.at(-1);
  if (last === undefined) throw new TypeError('a child needs a target');
  return {
    ...last,
    windows: joinedWindows(targets.flatMap(({ windows }) => windows)),
    from: Math.min(...targets.map(({ from }) => from)),
    before: Math.max(...targets.map(({ before }) => before)),
  };
}
