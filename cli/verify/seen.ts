import type { SweepRow } from '../../functions/journal/layout.ts';
import type { Checked } from '../../operate/deployment/check.ts';
import type { TaskName } from '../../statemachine/contract/machines.ts';

/** The event of an expiry; times are epoch milliseconds. */
export interface SeenExpiry {
  readonly id: string;
  readonly expiredAt: number;
  /** ApproximateCreationDateTime of the record. */
  readonly deletedAt: number;
  /** Time when SQS received it from the function that reads the stream. */
  readonly sentAt: number;
}

export interface SeenItems {
  /** Items that should have expired. */
  readonly due: number;
  /** Expired items that are still in the table. */
  readonly left: number;
  readonly renewed: number;
  readonly renewedLeft: number;
}

/** CloudWatch's metrics for the whole minutes in which the ticks ran. */
export interface SeenMetrics {
  readonly minutes: number;
  readonly started: number;
  /** Executions that did not succeed. */
  readonly unsuccessful: number;
  readonly billedMemoryMb: number | undefined;
  readonly gbSeconds: number | undefined;
  /** The longest call, milliseconds. */
  readonly longest: Readonly<Partial<Record<TaskName, number>>>;
}

/** All observations; a part that could not be read says why. */
export interface Seen {
  /** Whether Terraform finds no more changes after the deployment. */
  readonly deployment: Checked<{ readonly unchanged: boolean }>;
  /** The longest first call of each function, milliseconds. */
  readonly coldStarts: Checked<Readonly<Record<TaskName, number>>>;
  readonly depth: Checked<number>;
  readonly skew: Checked<{ readonly ms: number; readonly uncertaintyMs: number }>;
  readonly replays: Checked<{
    readonly started: number;
    readonly succeeded: number;
    readonly slowestMs: number;
  }>;
  readonly indexLags: Checked<readonly number[]>;
  readonly items: Checked<SeenItems>;
  readonly expiries: Checked<readonly SeenExpiry[]>;
  readonly rows: Checked<readonly SweepRow[]>;
  readonly metrics: Checked<SeenMetrics>;
  /** GB-seconds of the Express executions as the cost calculator estimates them, for the number of minutes in which items expired. */
  readonly calculatedGbSeconds: number;
}
