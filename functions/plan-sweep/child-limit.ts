import type { ChildLimit } from '../../statemachine/contract.ts';
import type { SweepLimit } from './sweep-input.ts';

/**
 * A child's part of what the execution may delete: as many parts as children run at once, all alike, since how much each of them
 * will find is not known. What one does not need is not given to another.
 *
 * Parts that are fractions begin with different credits, or all their children would delete in the same second.
 *
 * @param children of the round
 * @param concurrency children that run at once; 0 = all
 * @param index of the child, from 0 on
 */
export function childLimit(
  limit: SweepLimit | null,
  children: number,
  concurrency: number,
  index: number,
): ChildLimit | null {
  if (limit === null) return null;
  const parts = concurrency === 0 ? children : Math.min(children, concurrency);
  const perSecond = limit.perSecond / parts;
  const head = Number.isInteger(perSecond) ? 0 : ((index % parts) + 1) / parts;
  return { perSecond, credit: Math.floor(perSecond) + head, before: limit.before };
}
