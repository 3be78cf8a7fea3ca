import type { SeenScans } from '../../functions/journal/index-scans.ts';
import type { ListedStateMachine } from '../aws/state-machines.ts';
import type { OpenExecution } from '../changes.ts';
import type { Checked } from '../deployment/check.ts';
import type { SeenAlarm } from '../deployment/observe-alarms.ts';
import type { SeenSchedule } from '../deployment/observe-deployment.ts';
import type { SeenJournal } from '../deployment/observe-journal.ts';
import type { Gone } from './gone.ts';
import type { ReaderLook } from './ledger-look.ts';
import type { OverdueLook } from './overdue.ts';
import type { Trend } from './trend.ts';

/** The observations of a table, before they are judged. */
export interface SeenTable {
  /** The state machine of the ticks. */
  readonly stateMachine: Checked<ListedStateMachine | undefined>;
  /** By their names. */
  readonly schedules: ReadonlyMap<string, Checked<SeenSchedule | undefined>>;
  /** Undefined when it is not there. */
  readonly journal: Checked<SeenJournal | undefined>;
  /** Executions of the deployment's replays that are of this table; undefined without a state machine for them. */
  readonly open: Checked<readonly OpenExecution[]> | undefined;
  readonly overdue: Checked<OverdueLook>;
  /** How what is overdue becomes less; undefined where too little is known. */
  readonly trend: Trend | undefined;
  /** DynamoDB has not answered this command since, epoch milliseconds; undefined: it has answered. */
  readonly silentSince: number | undefined;
  /** It answered an earlier look of this command, or this one; else it may have been silent for longer. */
  readonly hasAnswered: boolean;
  /** Deletes that DynamoDB has throttled in the last minute. */
  readonly throttled: Checked<number | undefined>;
  /** The scans of its index. */
  readonly scans: Checked<SeenScans | undefined>;
  /** When ticks start the next one, epoch seconds; undefined before the first one. */
  readonly scanAt: number | undefined;
  /** The deletions of the last hour that each reader of its stream has seen; undefined without a journal. */
  readonly ledger: Checked<readonly ReaderLook[] | undefined>;
  readonly gone: Gone;
  /** Messages; undefined without a queue. */
  readonly deadLetters: Checked<number | undefined>;
  readonly alarms: Checked<readonly SeenAlarm[]>;
}
