import type { ListedStateMachine } from '../aws/executions.ts';
import type { OpenExecution } from '../changes.ts';
import type { Checked } from '../deployment/check.ts';
import type { SeenAlarm, SeenSchedule } from '../deployment/observe-deployment.ts';
import type { SeenJournal } from '../deployment/observe-journal.ts';
import type { Gone } from './gone.ts';
import type { Trend } from './lateness.ts';
import type { OverdueLook } from './overdue.ts';

/** The observations of a table, before they are judged. */
export interface SeenTable {
  /** The state machine of the ticks. */
  readonly stateMachine: Checked<ListedStateMachine | undefined>;
  /** Schedules by name. */
  readonly schedules: ReadonlyMap<string, Checked<SeenSchedule | undefined>>;
  /** Undefined when the journal does not exist. */
  readonly journal: Checked<SeenJournal | undefined>;
  /** Replays of this table that are running; undefined if there is no state machine for them. */
  readonly open: Checked<readonly OpenExecution[]> | undefined;
  readonly overdue: Checked<OverdueLook>;
  /** Change of the number of overdue items; undefined if too little is known. */
  readonly trend: Trend | undefined;
  /** Time since which DynamoDB has not answered this command, epoch milliseconds; undefined if it has answered. */
  readonly silentSince: number | undefined;
  /** Whether DynamoDB has answered this command before; if not, it may have been silent for longer. */
  readonly hasAnswered: boolean;
  readonly gone: Gone;
  /** Number of messages; undefined without a queue. */
  readonly deadLetters: Checked<number | undefined>;
  readonly alarms: Checked<readonly SeenAlarm[]>;
}
