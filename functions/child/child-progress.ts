import type { ChildProgress, InitialProgress } from '../../statemachine/contract/child.ts';
import { startBrake } from './brake.ts';
import { NOT_BUSY } from './busy.ts';
import { NOTHING_COUNTED } from './child-counts.ts';
import { NOTHING_DEFERRED } from './deferred.ts';
import { startPoll } from './poll.ts';

/**
 * Returns the progress of a child. A child that has done nothing yet starts with its initial progress. So does a child that began under an
 * earlier deployment whose progress has another shape: it sweeps its target from the start again.
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
  };
}
