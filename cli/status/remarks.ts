interface RemarkMeaning {
  /** It says why items are overdue, or would be. */
  readonly isCause: boolean;
  /** A sentence without its full stop, for the documents. */
  readonly help: string;
  /** What to do, as Markdown for docs/runbook.md. */
  readonly remedy: string;
}

/**
 * Everything that `status` remarks on. A script may rely on these names: `status --json` has them as `remarks[].id` and, where a remark is the
 * cause, as `cause.id`. Those that explain others come first: the first one that applies stands in the first line.
 */
export const REMARKS = {
  dynamoDbSilent: {
    isCause: true,
    help: 'DynamoDB does not answer, and other services do',
    remedy:
      "[dynamodb-down](#dynamodb-down), [dynamodb-hangs](#dynamodb-hangs): see the region's health. The first tick that it answers goes back to where the sweeps had come",
  },
  machineMissing: {
    isCause: true,
    help: 'the state machine of the ticks is not there',
    remedy: '`npx precise-ttl deploy`, then `npx precise-ttl resume`',
  },
  journalMissing: {
    isCause: true,
    help: 'the journal is not there',
    remedy: '[journal-failed](#journal-failed)',
  },
  disabled: {
    isCause: true,
    help: 'the configuration has `enabled: false`',
    remedy: 'take it out and deploy, when the table is to be swept',
  },
  paused: {
    isCause: true,
    help: 'somebody has paused the table',
    remedy: '`npx precise-ttl resume --table Sessions`',
  },
  scheduleMissing: {
    isCause: true,
    help: 'a schedule is not there',
    remedy: '`npx precise-ttl deploy`, then `npx precise-ttl resume`',
  },
  scheduleOff: {
    isCause: true,
    help: 'somebody has turned a schedule off',
    remedy: 'turn it on in EventBridge Scheduler, then `npx precise-ttl resume`',
  },
  noTick: {
    isCause: true,
    help: 'no tick has planned for some minutes',
    remedy: '[no-sweep](#no-sweep)',
  },
  failing: {
    isCause: true,
    help: 'the newest sweep has failed',
    remedy: '[executions-failed](#executions-failed)',
  },
  dynamoDbUnavailable: {
    isCause: true,
    help: 'DynamoDB answers with errors of its own, or breaks connections',
    remedy: "nothing here: see the region's health",
  },
  indexThrottled: {
    isCause: true,
    help: 'DynamoDB throttles queries of the index',
    remedy: '[dynamodb-throttles](#dynamodb-throttles)',
  },
  deletesThrottled: {
    isCause: true,
    help: 'DynamoDB throttles the deletes: at least how many in the last minute',
    remedy: '[Capacity](deploy.md#capacity), or more [`shards`](configuration.md#how-many-shards)',
  },
  limited: {
    isCause: true,
    help: 'the table has a limit of deletes a second, and whether more expires',
    remedy: '`npx precise-ttl limit --table Sessions --off`, or a higher one',
  },
  handedOver: {
    isCause: true,
    help: 'an execution of the replays has the backlog',
    remedy: 'wait: `open replays` says for how long it runs',
  },
  beyondTicks: {
    isCause: true,
    help: 'it expired before the time that the ticks look back to',
    remedy: '`npx precise-ttl replay --index --table Sessions`, or wait for the daily scan of the index',
  },
  heldUnknown: {
    isCause: true,
    help: 'DynamoDB did not say whether what is overdue is held',
    remedy: 'look again',
  },
  catchingUp: {
    isCause: true,
    help: 'a backlog becomes smaller, and when it is gone at this rate',
    remedy: 'wait',
  },
  late: {
    isCause: true,
    help: 'items are overdue for longer than the table promises; the cause where nothing else that is known explains it',
    remedy: '[overdue](#overdue)',
  },
  unread: {
    isCause: false,
    help: 'the archive or the events have not seen what was deleted in the last hour, though their time for that is up',
    remedy: '[deletes-unread](#deletes-unread)',
  },
  indexUnanswered: {
    isCause: false,
    help: 'a query of the index got no answer',
    remedy: 'look again',
  },
  indexSlow: {
    isCause: false,
    help: 'there was no time to read all of the index',
    remedy: 'look again, or less far back: `--back`',
  },
  indexTooLong: {
    isCause: false,
    help: 'more is overdue than one look counts',
    remedy: 'nothing: the number is a lower bound',
  },
  gap: {
    isCause: false,
    help: 'no tick has looked at a span of time',
    remedy: '`npx precise-ttl resume --table Sessions`',
  },
  scanFound: {
    isCause: false,
    help: 'the last scan of the index found what no tick finds, or could not delete something',
    remedy: '[Writers](writers.md); `npx precise-ttl doctor` says more of it',
  },
  scanLate: {
    isCause: false,
    help: 'no scan of the index has come to its end for a day and a half',
    remedy: '`npx precise-ttl history` says why; `npx precise-ttl replay --index --table Sessions` makes one',
  },
  scanning: { isCause: false, help: 'a scan of the index is under way', remedy: 'nothing' },
  failed: {
    isCause: false,
    help: 'a sweep has failed in the last hour, and a newer one has not',
    remedy: 'nothing, if it was the only one',
  },
  deadLetters: {
    isCause: false,
    help: 'EventBridge Scheduler could not start sweeps',
    remedy: '[dead-letters](#dead-letters)',
  },
  alarm: { isCause: false, help: 'an alarm sounds', remedy: 'its section below' },
  notKnown: {
    isCause: false,
    help: 'something could not be asked, and why',
    remedy: 'what the line says',
  },
} as const satisfies Readonly<Record<string, RemarkMeaning>>;

export type RemarkId = keyof typeof REMARKS;

/** Something that an operator should know. */
export interface Remark {
  readonly id: RemarkId;
  /** A note does not count. */
  readonly severity: 'broken' | 'warning' | 'note';
  readonly text: string;
}

/** Names of remarks in their order. */
export const REMARK_IDS = Object.keys(REMARKS) as readonly RemarkId[];
