import type { ChildLimit } from '../../statemachine/contract/child.ts';
import type { LimitedTarget } from './limited-targets.ts';
import type { SweepLimit } from './sweep-input.ts';

/**
 * Divides the execution's limit among its children. All targets of the plan, each a window of a shard, get equal parts, since their
 * numbers of items are not known. What one child does not use is not given to another.
 *
 * If the parts are fractions, the children begin with different credits; otherwise all would delete in the same second.
 *
 * @param concurrency children that run at once; 0 = all
 */
export function childLimits(
  { perSecond, before }: SweepLimit,
  targets: readonly LimitedTarget[],
  concurrency: number,
): ChildLimit[] {
  const weights = targets.reduce((sum, { weight }) => sum + weight, 0);
  const atOnce = concurrency === 0 ? 1 : Math.min(1, concurrency / targets.length);
  return targets.map(({ weight }, index) => {
    const part = (perSecond * weight) / (weights * atOnce);
    const head = Number.isInteger(part) ? 0 : (index + 1) / targets.length;
    return { perSecond: part, credit: Math.floor(part) + head, before };
  });
}
