import type { SweepTarget } from '../../statemachine/contract/targets.ts';
import { joinedWindows, shardsOfTarget } from '../table/target-windows.ts';
import type { SweepLimit } from './sweep-input.ts';

/** Deletes a second that one child gets done with some reserve: a few pages, in chunks side by side. */
const CHILD_PER_SECOND = 500;

/** Targets that share a limit. */
export interface LimitedTarget {
  readonly target: SweepTarget;
  /** How many targets of the plan it is. */
  readonly weight: number;
}

/**
 * The targets in as few children as the limit keeps busy: one that is done with a window goes on with another, while the part of a child
 * that has ended would be nobody's.
 *
 * With an upcoming minute, each of its children also sweeps what the plan found of its shards, the oldest first. Else each child
 * has windows of every age.
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

/** The backlog of a shard that has nothing upcoming goes to any of the children. */
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

/** In so many groups, dealt out one after the other: each has some of every age. */
export function dealt(targets: readonly SweepTarget[], groups: number): SweepTarget[][] {
  return Array.from({ length: groups }, (_unused, group) =>
    targets.filter((_target, index) => index % groups === group),
  );
}

/** One target for several, swept as the last of them is. */
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
