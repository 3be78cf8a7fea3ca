import type { ListedStateMachine } from '../aws/state-machines.ts';
import type { Checked } from '../deployment/check.ts';
import type { SeenAlarm } from '../deployment/observe-alarms.ts';
import type { SeenSchedule } from '../deployment/observe-deployment.ts';
import type { Gone } from './gone.ts';
import type { SeenSweeps } from './observe-sweeps.ts';
import type { OverdueLook } from './overdue.ts';

/** What was seen of a table, before anything is made of it. */
export interface SeenTable {
  readonly stateMachine: Checked<ListedStateMachine | undefined>;
  /** By their names. */
  readonly schedules: ReadonlyMap<string, Checked<SeenSchedule | undefined>>;
  /** Undefined without a state machine. */
  readonly sweeps: Checked<SeenSweeps> | undefined;
  readonly overdue: Checked<OverdueLook>;
  /** Undefined where the index was not read. */
  readonly gone: Gone | undefined;
  /** Messages; undefined without a queue. */
  readonly deadLetters: Checked<number | undefined>;
  readonly alarms: Checked<readonly SeenAlarm[]>;
}
