import type { SweepKind, SweepRow } from '../../functions/journal/layout.ts';
import { leftNothing } from '../../functions/report/sweep-totals.ts';
import type { ListedFailure } from '../../statemachine/contract/keys.ts';
import type { SweepReport } from '../../statemachine/contract/report.ts';
import { failureInWords } from './failure-in-words.ts';
import { OUTCOME_COUNTS, type SweepOutcome } from './sweep-outcome.ts';

/** The result of an execution for a table. */
export interface Sweep {
  /** Name of the execution. */
  readonly name: string;
  readonly kind: SweepKind;
  readonly status: 'SUCCEEDED' | 'FAILED';
  readonly startedAt: Date;
  readonly stoppedAt: Date;
  readonly outcome: SweepOutcome;
  /** The failure in words; undefined if the execution succeeded. */
  readonly failure: string | undefined;
  /** Some of the keys that could not be deleted. */
  readonly failedKeys: readonly ListedFailure[];
}

/** Whether a sweep succeeded without finding any item. */
export function isIdle({ status, outcome }: Sweep): boolean {
  return status === 'SUCCEEDED' && outcome.found === 0;
}

export function sweepOf({ execution, kind, startedAt, endedAt, report }: SweepRow): Sweep {
  const outcome = outcomeOf(report);
  const failed = isFailed(report);
  return {
    name: execution,
    kind,
    status: failed ? 'FAILED' : 'SUCCEEDED',
    startedAt: new Date(startedAt),
    stoppedAt: new Date(endedAt),
    outcome,
    failure: failed ? failureInWords(report) : undefined,
    failedKeys: report.failedKeys,
  };
}

/** Whether a sweep left items that it should have deleted. */
export function isFailed(report: SweepReport): boolean {
  return report.failure !== undefined || !leftNothing(report);
}

export function outcomeOf(report: SweepReport): SweepOutcome {
  const counts = Object.fromEntries(OUTCOME_COUNTS.map(name => [name, report[name]]));
  return { ...counts, lagMs: report.lagMs ?? null } as SweepOutcome;
}
