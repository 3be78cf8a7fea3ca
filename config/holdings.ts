/** An edit, or a command, does one of these to something that holds something. */
export type Fate =
  /** It stays in AWS with what it holds. Where it was Terraform's, Terraform forgets it. */
  | 'stays'
  /** The plan is refused before anything is changed, until another step has said that it is meant. */
  | 'refused'
  /** It is deleted with what it holds. */
  | 'goes';

/** A kind of thing that holds what no deployment could make again. */
export interface Holding {
  /** Its name in docs/operate.md. */
  readonly what: string;
  readonly holds: string;
  /** Type of the resource in Terraform; undefined for what is no resource. */
  readonly type?: string;
  /** Where its resources stand in a deployment or beside a table, as ids of constructs. Undefined where a part of its own looks after them. */
  readonly paths?: readonly string[];
  /** When the prop is taken out that it is there for. */
  readonly turnedOff: Fate;
  /** The props that turn it off, and what happens when it is turned on again. */
  readonly onAgain: string;
  /** When the entry of its table is taken out, after the step that the guard asks for. */
  readonly entryOut: Exclude<Fate, 'refused'>;
  /** With `precise-ttl destroy`. */
  readonly destroyed: Exclude<Fate, 'refused'>;
}

/** Log groups of what every deployment has. */
const LOGS = ['plan-sweep', 'query-expired', 'delete-chunk', 'record-metrics', 'sweep', 'replay'];

/** Log groups of what props turn on and off. They are the same ones when it is turned on again: see `Guard.adopt`. */
const OPTIONAL_LOGS = [
  'archive/reader/archive-expiries',
  'archive/proof/write-manifest',
  'events/reader/publish-expiries',
  'backfill/plan-backfill',
  'backfill/backfill-segment',
  'backfill/workflow',
];

const logsOf = (path: string) => `${path}/logs`;

/**
 * Everything that holds something, and what takes it away. Nothing else of a deployment holds what the next one could not make
 * again. One guard serves all of it (`stacks/parts/guard.ts`), by one rule: **no edit takes it away in one step**. Whatever would
 * replace it, such as another `name`, is refused when the plan is made; what an edit turns off stays in AWS, and is taken up
 * again when it is turned on again.
 *
 * test/config/holdings.test.ts holds the list against what is synthesized; `npm run docs` makes a table of it in
 * docs/operate.md.
 */
export const HOLDINGS = {
  table: {
    what: 'the table',
    holds: 'the items',
    type: 'aws_dynamodb_table',
    turnedOff: 'stays',
    onAgain: 'by `existingTable: true`; without it again [by an import](#back-under-terraform)',
    entryOut: 'stays',
    destroyed: 'stays',
  },
  bucket: {
    what: 'the bucket of the archive, with its settings',
    holds: 'what has expired',
    type: 'aws_s3_bucket',
    turnedOff: 'stays',
    onAgain:
      'by `archive`; with it again [another bucket is made](#the-archives-bucket), unless you name the old one',
    entryOut: 'stays',
    destroyed: 'stays',
  },
  queue: {
    what: 'the queues: starts that did not get through, and what archive and events gave up',
    holds: 'messages',
    type: 'aws_sqs_queue',
    paths: ['schedules/dead-letters', 'archive/reader/failures', 'events/reader/failures'],
    turnedOff: 'stays',
    onAgain: 'by `archive`, `events`; with it again it is the same one',
    entryOut: 'goes',
    destroyed: 'goes',
  },
  topic: {
    what: 'the topic of the alarms',
    holds: 'subscriptions that people have confirmed',
    type: 'aws_sns_topic',
    paths: ['alarms/topic'],
    turnedOff: 'stays',
    onAgain: 'by `alarms: false`, `alarmTopicArn`; without it again it is the same one',
    entryOut: 'goes',
    destroyed: 'goes',
  },
  logs: {
    what: 'the log groups',
    holds: 'log lines, for `logRetentionDays`',
    type: 'aws_cloudwatch_log_group',
    paths: [...LOGS, ...OPTIONAL_LOGS].map(logsOf),
    turnedOff: 'stays',
    onAgain: 'by `archive`, `events`, `backfill`; with it again it is the same one',
    entryOut: 'goes',
    destroyed: 'goes',
  },
  journal: {
    what: 'the journal',
    holds: 'pauses and limits by hand, watermarks, reports of 90 days',
    type: 'aws_dynamodb_table',
    paths: ['journal/table'],
    turnedOff: 'stays',
    onAgain: 'by nothing: every deployment has one',
    entryOut: 'goes',
    destroyed: 'goes',
  },
  position: {
    what: 'how far `archive` and `events` have read the stream',
    holds: 'a position, of the last 24 hours',
    type: 'aws_lambda_event_source_mapping',
    turnedOff: 'goes',
    onAgain:
      'by `archive`, `events`: a new archive reads the stream 24 hours back; new events begin with the deployment',
    entryOut: 'goes',
    destroyed: 'goes',
  },
  hold: {
    what: 'holds on items',
    holds: 'items that have expired and must not be deleted',
    turnedOff: 'refused',
    onAgain:
      'by another `hold`, or none: until `hold.releases` names the old one, see [Hold and grace](archive-and-events.md#another-hold-attribute-or-none)',
    entryOut: 'stays',
    destroyed: 'stays',
  },
} as const satisfies Readonly<Record<string, Holding>>;

/** Policy of the topic. It goes where the topic goes: a topic without it would have SNS's own, and CloudWatch could not publish. */
export const TOPIC_POLICY = { type: 'aws_sns_topic_policy', path: 'alarms/topic-policy' } as const;

/** A deployment or a table has these, or leaves them behind when it has them no more: types by where they stand. */
export const PLACES: ReadonlyMap<string, string> = new Map<string, string>([
  ...Object.values(HOLDINGS).flatMap((holding: Holding) =>
    (holding.paths ?? []).map(path => [path, holding.type ?? ''] as const),
  ),
  [TOPIC_POLICY.path, TOPIC_POLICY.type],
]);

/**
 * Those that a table has, or had in a version in which each table had a deployment of its own: what is the deployment's now is left behind
 * there.
 */
export const TABLE_PLACES: ReadonlyMap<string, string> = new Map(
  [...PLACES].filter(([path]) => !['journal/table', 'replay/logs'].includes(path)),
);

/** Those that a deployment has: the others are a table's own. */
export const DEPLOYMENT_PLACES: ReadonlyMap<string, string> = new Map(
  [...PLACES].filter(([path]) => !/^(archive|events|backfill)\//.test(path)),
);

/** Where what can be turned on again stands, that AWS would refuse to make a second time. */
export const ADOPTED: readonly string[] = OPTIONAL_LOGS.map(logsOf);
