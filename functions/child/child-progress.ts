import type { ChildProgress, InitialProgress } from '../../statemachine/contract/child.ts';
import { startBrake } from './brake.ts';
import { NOT_BUSY } from './busy.ts';
import { NOTHING_COUNTED } from './child-counts.ts';
import { NOTHING_DEFERRED } from './deferred.ts';
import { startPoll } from './poll.ts';
import { startScan } from './scan.ts';

/**
 * The progress of a child, which for one that has done nothing yet is made of what it starts with. So is that of a child which an earlier
 * deployment left under way with a progress in another shape: it sweeps its target from the start again.
 */
export function startProgress(from: InitialProgress | ChildProgress): ChildProgress {
  if ('poll' in from) return from;
  const { target, dryRun, listedKeysBytes, limit, handsOnAfter } = from;
  return {
    target,
    dryRun,
    listedKeysBytes,
    ...(handsOnAfter !== undefined && { handsOnAfter }),
    poll: startPoll(target),
    deferred: NOTHING_DEFERRED,
    busy: NOT_BUSY,
    brake: startBrake(limit ?? null),
    counts: NOTHING_COUNTED,
    ...(target.scan && { scan: startScan(target.position ?? null) }),
  };
}
