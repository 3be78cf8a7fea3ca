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

/**
 * All remarks of `status`. The names are stable: `status --json` has them as `remarks[].id` and, for the cause, as `cause.id`.
 * Remarks that explain others come first: the first one that applies is shown in the first line.
 */
export const REMARKS = {
  dynamoDbSilent: {
    severity: 'broken',
    isCause: true,
    help: 'DynamoDB does not answer, and other services do',
    remedy:
      "[dynamodb-down](#dynamodb-down), [dynamodb-hangs](#dynamodb-hangs): see the region's health. The first tick that it answers goes back to where the sweeps had come",
  },
  machineMissing: {
    severity: 'broken',
    isCause: true,
    help: 'the state machine of the ticks is not there',
    remedy: '`npx precise-ttl deploy`, then `npx precise-ttl resume`',
  },
  journalMissing: {
    severity: 'broken',
    isCause: true,
    help: 'the journal is not there',
    remedy: '[journal-failed](#journal-failed)',
  },
  disabled: {
    severity: 'warning',
    isCause: true,
    help: 'the configuration has `enabled: false`',
    remedy: 'take it out and deploy, when the table is to be swept',
  },
  paused: {
    severity: 'warning',
    isCause: true,
    help: 'somebody has paused the table',
    remedy: '`npx precise-ttl resume --table Sessions`',
  },
  scheduleMissing: {
    severity: 'broken',
    isCause: true,
    help: 'a schedule is not there',
    remedy: '`npx precise-ttl deploy`, then `npx precise-ttl resume`',
  },
  scheduleOff: {
    severity: 'broken',
    isCause: true,
    help: 'somebody has turned a schedule off',
    remedy: 'turn it on in EventBridge Scheduler, then `npx precise-ttl resume`',
  },
  noTick: {
    severity: 'broken',
    isCause: true,
    help: 'no tick has planned for some minutes',
    remedy: '[no-sweep](#no-sweep)',
  },
  failing: {
    severity: 'broken',
    isCause: true,
    help: 'the newest sweep has failed',
    remedy: '[executions-failed](#executions-failed)',
  },
  dynamoDbUnavailable: {
    severity: 'warning',
    isCause: true,
    help: 'DynamoDB answers with errors of its own, or breaks connections',
    remedy: "nothing here: see the region's health",
  },
  indexThrottled: {
    severity: 'warning',
    isCause: true,
    help: 'DynamoDB throttles queries of the index',
    remedy: '[dynamodb-throttles](#dynamodb-throttles)',
  },
  deletesThrottled: {
    severity: 'warning',
    isCause: true,
    help: 'DynamoDB throttles the deletes: at least how many in the last minute',
    remedy: '[Capacity](../operate.md#capacity), or more [`shards`](configuration.md#how-many-shards)',
  },
  limited: {
    severity: 'note',
    isCause: true,
    help: 'the table has a limit of deletes a second, and whether more expires',
    remedy: '`npx precise-ttl limit --table Sessions --off`, or a higher one',
  },
  handedOver: {
    severity: 'note',
    isCause: true,
    help: 'an execution of the replays has the backlog',
    remedy: 'wait: `open replays` says for how long it runs',
  },
  beyondTicks: {
    severity: 'warning',
    isCause: true,
    help: 'it expired before the time that the ticks look back to',
    remedy: '`npx precise-ttl replay --index --table Sessions`, or wait for the daily scan of the index',
  },
  heldUnknown: {
    severity: 'warning',
    isCause: true,
    help: 'DynamoDB did not say whether what is overdue is held',
    remedy: 'look again',
  },
  catchingUp: {
    severity: 'note',
    isCause: true,
    help: 'a backlog becomes smaller, and when it is gone at this rate',
    remedy: 'wait',
  },
  late: {
    severity: 'warning',
    isCause: true,
    help: 'items are overdue for longer than the table promises; the cause where nothing else that is known explains it',
    remedy: '[overdue](#overdue)',
  },
  unread: {
    severity: 'warning',
    isCause: false,
    help: 'the archive or the events have not seen what was deleted in the last hour, though their time for that is up',
    remedy: '[deletes-unread](#deletes-unread)',
  },
  indexUnanswered: {
    severity: 'warning',
    isCause: false,
    help: 'a query of the index got no answer',
    remedy: 'look again',
  },
  indexSlow: {
    severity: 'warning',
    isCause: false,
    help: 'there was no time to read all of the index',
    remedy: 'look again, or less far back: `--back`',
  },
  indexTooLong: {
    severity: 'warning',
    isCause: false,
    help: 'more is overdue than one look counts',
    remedy: 'nothing: the number is a lower bound',
  },
  gap: {
    severity: 'warning',
    isCause: false,
    help: 'no tick has looked at a span of time',
    remedy: '`npx precise-ttl resume --table Sessions`',
  },
  scanFound: {
    severity: 'warning',
    isCause: false,
    help: 'the last scan of the index found what no tick finds, or could not delete something',
    remedy: '[Writers](../use.md#what-does-a-writer-have-to-do); `npx precise-ttl doctor` says more of it',
  },
  scanLate: {
    severity: 'warning',
    isCause: false,
    help: 'no scan of the index has come to its end for a day and a half',
    remedy: '`npx precise-ttl history` says why; `npx precise-ttl replay --index --table Sessions` makes one',
  },
  scanning: { severity: 'note', isCause: false, help: 'a scan of the index is under way', remedy: 'nothing' },
  failed: {
    severity: 'warning',
    isCause: false,
    help: 'a sweep has failed in the last hour, and a newer one has not',
    remedy: 'nothing, if it was the only one',
  },
  deadLetters: {
    severity: 'warning',
    isCause: false,
    help: 'EventBridge Scheduler could not start sweeps',
    remedy: '[dead-letters](#dead-letters)',
  },
  alarm: { severity: 'warning', isCause: false, help: 'an alarm sounds', remedy: 'its section below' },
  notKnown: {
    severity: 'warning',
    isCause: false,
    help: 'something could not be asked, and why',
    remedy: 'what the line says',
  },
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
