import type { ChildProgress, InitialProgress } from '../../statemachine/contract.ts';
import { NO_COUNTS } from '../report/sweep-counts.ts';

/** The progress of a child that has done nothing yet. */
export function startProgress(from: InitialProgress | ChildProgress): ChildProgress {
  return {
    position: from.target.position ?? null,
    seen: null,
    // An upcoming minute is polled for the first time at its start, anything else at once.
    pollAt: from.target.upcomingFrom ?? 0,
    lastDue: 0,
    inFlight: 0,
    deferred: 0,
    deferredKeys: [],
    retryAtMs: null,
    deferredPolls: 0,
    retriedUpTo: null,
    busyPolls: 0,
    busyUntilMs: null,
    rate: null,
    triedLately: 0,
    throttledLately: 0,
    clearPages: 0,
    credit: 0,
    creditAt: 0,
    failedKeys: [],
    sampleKeys: [],
    ...NO_COUNTS,
    ...from,
  };
}
