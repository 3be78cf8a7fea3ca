import type { ChildLimit } from '../../statemachine/contract/child.ts';
import type { LimitedTarget } from './limited-targets.ts';
import type { SweepLimit } from './sweep-input.ts';

/**
 * Each child's part of what the execution may delete. A target of the plan is a window of a shard, and counts alike, since how much it
 * holds is not known. What a child does not need is not given to another.
 *
 * Parts that are fractions begin with different credits, or all their children would delete in the same second.
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
