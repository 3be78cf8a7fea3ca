type Severity = 'broken' | 'warning' | 'note';

interface RemarkMeaning {
  /** How bad it is; a note does not change the verdict. */
  readonly severity: Severity;
  /** Whether the remark explains overdue items. */
  readonly isCause: boolean;
  /** A sentence without its full stop, for the documents. */
  readonly help: string;
  /** The remedy, as Markdown for docs/reference/alarms.md. */
  readonly remedy: string;
}

const cause = (severity: Severity, help: string, remedy: string): RemarkMeaning => ({
  ...{ severity, isCause: true, help, remedy },
});
const other = (...meaning: Parameters<typeof cause>): RemarkMeaning => ({
  ...cause(...meaning),
  isCause: false,
});

/**
 * All remarks of `status`. The names are stable: `status --json` has them as `remarks[].id` and, for the cause, as `cause.id`.
 * Remarks that explain others come first: the first one that applies is shown in the first line.
 */
export const REMARKS = {
  dynamoDbSilent: cause(
    'broken',
    'DynamoDB does not answer, and other services do',
    "see the region's health; in a VPC, its endpoint. Nothing is lost: the first tick that it answers goes back to where the sweeps had come",
  ),
  machineMissing: cause('broken', 'the state machine of the ticks is not there', '`npx precise-ttl deploy`'),
  journalMissing: cause(
    'broken',
    'the journal is not there',
    '`npx precise-ttl deploy`, and set pauses again',
  ),
  paused: cause('warning', 'somebody has paused the table', '`npx precise-ttl resume --table Sessions`'),
  scheduleMissing: cause('broken', 'a schedule is not there', '`npx precise-ttl deploy`'),
  scheduleOff: cause(
    'broken',
    'somebody has turned a schedule off',
    'turn it on in EventBridge Scheduler: the ticks make up for the time without them',
  ),
  noTick: cause('broken', 'no tick has planned for some minutes', '[no-sweep](#no-sweep)'),
  failing: cause('broken', 'the newest sweep has failed', '[executions-failed](#executions-failed)'),
  dynamoDbUnavailable: cause(
    'warning',
    'DynamoDB answers with errors of its own, or breaks connections',
    "nothing here: see the region's health",
  ),
  indexThrottled: cause(
    'warning',
    'DynamoDB throttles queries of the index',
    '[Capacity](../operate.md#capacity), or more [`shards`](configuration.md#how-many-shards)',
  ),
  deletesThrottled: cause(
    'warning',
    'DynamoDB throttled deletes of the last sweep, and how many',
    '[Capacity](../operate.md#capacity), or more [`shards`](configuration.md#how-many-shards)',
  ),
  limited: cause(
    'note',
    'the table has a limit of deletes a second, and whether more expires',
    'a higher `maxDeletesPerSecond`, or none, and deploy',
  ),
  beyondTicks: cause(
    'warning',
    'it expired before the time from which the next tick looks: it was written after its expiry',
    '`npx precise-ttl replay --table Sessions --from 2026-11-20T08:00:00Z --to 2026-11-20T09:00:00Z`, or wait for native TTL',
  ),
  catchingUp: cause('note', 'a backlog becomes smaller, and when it is gone at this rate', 'wait'),
  late: cause(
    'warning',
    'items are overdue for so long that they count as late; the cause where nothing else that is known explains it',
    '[deletion-lag](#deletion-lag)',
  ),
  indexUnanswered: other('warning', 'a query of the index got no answer', 'look again'),
  indexSlow: other(
    'warning',
    'there was no time to read all of the index',
    'look again, or less far back: `--back`',
  ),
  indexTooLong: other(
    'warning',
    'more is overdue than one look counts',
    'nothing: the number is a lower bound',
  ),
  behind: other(
    'warning',
    'the ticks have not come as far as one look reads back',
    'wait: each tick goes on from there, after an outage too; another line says what stops them',
  ),
  failed: other(
    'warning',
    'a sweep has failed in the last hour, and a newer one has not',
    'nothing, if it was the only one',
  ),
  deadLetters: other(
    'warning',
    'EventBridge Scheduler could not start sweeps',
    '[dead-letters](#dead-letters)',
  ),
  alarm: other('warning', 'an alarm sounds', 'its section below'),
  notKnown: other('warning', 'something could not be asked, and why', 'what the line says'),
} as const satisfies Readonly<Record<string, RemarkMeaning>>;

export type RemarkId = keyof typeof REMARKS;

/** Something that an operator should know. */
export interface Remark {
  readonly id: RemarkId;
  readonly severity: Severity;
  readonly text: string;
}

/** Names of the remarks, in order. */
export const REMARK_IDS = Object.keys(REMARKS) as readonly RemarkId[];

/** Makes a remark. @param severity @default that of the remark */
export function remark(id: RemarkId, text: string, severity: Severity = REMARKS[id].severity): Remark {
  return { id, severity, text };
}
