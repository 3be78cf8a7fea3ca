import type { SweepRow } from '../../functions/journal/layout.ts';
import type { Checked } from '../../operate/deployment/check.ts';
import type { TaskName } from '../../statemachine/contract/machines.ts';

/** An event of an expiry, epoch milliseconds. */
export interface SeenExpiry {
  readonly id: string;
  readonly expiredAt: number;
  /** ApproximateCreationDateTime of the record. */
  readonly deletedAt: number;
  /** When SQS took it from the function that the stream calls. */
  readonly sentAt: number;
}

export interface SeenItems {
  /** That were to expire. */
  readonly due: number;
  /** Those of them that are still there. */
  readonly left: number;
  readonly renewed: number;
  readonly renewedLeft: number;
}

/** CloudWatch's metrics of whole minutes in which the ticks ran. */
export interface SeenMetrics {
  readonly minutes: number;
  readonly started: number;
  /** That ended in another way than well. */
  readonly unsuccessful: number;
  readonly billedMemoryMb: number | undefined;
  readonly gbSeconds: number | undefined;
  /** The longest call, milliseconds. */
  readonly longest: Readonly<Partial<Record<TaskName, number>>>;
}

/** All that was seen; a part that could not be asked for says why. */
export interface Seen {
  /** Whether Terraform would change nothing more after it has deployed. */
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
  /** By the calculator, GB-seconds of Express executions in as many minutes. */
  readonly calculatedGbSeconds: number;
}
