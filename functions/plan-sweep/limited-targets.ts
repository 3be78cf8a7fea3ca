import type { SweepTarget } from '../../statemachine/contract.ts';
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
 * What looks back in as few children as the limit keeps busy: one that is done with a window goes on with another, while the part of
 * a child that has ended would be nobody's. Each has windows of every age, the oldest first.
 *
 * @param concurrency children that run at once; 0 = all
 */
export function limitedTargets(
  targets: readonly SweepTarget[],
  { perSecond }: SweepLimit,
  concurrency: number,
): LimitedTarget[] {
  const single = targets.filter(target => !isBack(target));
  const back = targets.filter(isBack);
  const room = concurrency === 0 ? back.length : Math.max(1, concurrency - single.length);
  const children = Math.min(back.length, room, Math.ceil(perSecond / CHILD_PER_SECOND));
  const groups = Array.from({ length: children }, (_unused, child) =>
    back.filter((_target, index) => index % children === child),
  );
  return [
    ...single.map(target => ({ target, weight: 1 })),
    ...groups.flatMap(group => {
      const [first] = group;
      if (first === undefined) return [];
      const windowKeys = group.flatMap(each => each.windowKeys);
      const from = Math.min(...group.map(each => each.from));
      const before = Math.max(...group.map(each => each.before));
      return [{ target: { ...first, windowKeys, from, before }, weight: windowKeys.length }];
    }),
  ];
}

function isBack({ upcomingFrom, position }: SweepTarget): boolean {
  return upcomingFrom === null && !position;
}
