import { startProgress } from '../../functions/child/child-progress.ts';
import type { ChildProgress, InitialProgress } from '../../statemachine/contract/child.ts';

/** What differs in a child's progress from the start of one. */
export type Progressed = Partial<Pick<ChildProgress, 'target' | 'dryRun' | 'listedKeysBytes'>> & {
  readonly [Slice in 'poll' | 'deferred' | 'busy' | 'brake' | 'counts']?: Partial<ChildProgress[Slice]>;
};

/** The progress of a child that has come so far. */
export function childProgress(
  from: Pick<InitialProgress, 'target'> & Partial<InitialProgress>,
  { poll, deferred, busy, brake, counts, ...more }: Progressed = {},
): ChildProgress {
  const start = startProgress({ dryRun: false, listedKeysBytes: 20_000, ...from, ...more });
  return {
    ...start,
    poll: { ...start.poll, ...poll },
    deferred: { ...start.deferred, ...deferred },
    busy: { ...start.busy, ...busy },
    brake: { ...start.brake, ...brake },
    counts: { ...start.counts, ...counts },
  };
}
