import type { SweepKind } from '../../functions/journal/layout.ts';
import type { Sweep } from './sweep.ts';
import type { SweepOutcome } from './sweep-outcome.ts';

/** An execution as JSON; times are ISO-8601. */
export interface SweepReport {
  readonly name: string;
  readonly kind: SweepKind;
  readonly status: Sweep['status'];
  readonly startedAt: string;
  readonly stoppedAt: string;
  readonly outcome: SweepOutcome;
  /** Null when it did not fail. */
  readonly failure: string | null;
}

export function sweepReport({
  name,
  kind,
  status,
  startedAt,
  stoppedAt,
  outcome,
  failure,
}: Sweep): SweepReport {
  return {
    name,
    kind,
    status,
    startedAt: startedAt.toISOString(),
    stoppedAt: stoppedAt.toISOString(),
    outcome,
    failure: failure ?? null,
  };
}
