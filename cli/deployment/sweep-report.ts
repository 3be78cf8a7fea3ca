import type { Sweep } from './sweep.ts';

/** An execution as JSON; times are ISO-8601. */
export interface SweepReport {
  readonly name: string;
  readonly kind: string;
  readonly status: string;
  readonly startedAt: string;
  readonly stoppedAt: string;
  readonly outcome: Sweep['outcome'];
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
