/** The result of an edit, or a command, for a resource that holds data. */
export type Fate =
  /** The resource stays in AWS with its data. If Terraform managed it, Terraform forgets it. */
  | 'stays'
  /** The plan is refused before anything is changed, until a separate step confirms it. */
  | 'refused'
  /** The resource is deleted with its data. */
  | 'goes';

/** A kind of resource whose data no deployment could restore. */
export interface Holding {
  /** Its name in docs/operate.md. */
  readonly what: string;
  readonly holds: string;
  /** Type of the resource in Terraform; undefined if it is not a resource. */
  readonly type?: string;
  /** Paths of its resources in a deployment or beside a table, as ids of constructs. Undefined if other code keeps them. */
  readonly paths?: readonly string[];
  /** The result when the prop that creates it is removed. */
  readonly turnedOff: Fate;
  /** The props that turn it off, and what happens when it is turned on again. */
  readonly onAgain: string;
  /** The result when the entry of its table is removed, after the step that the guard requires. */
  readonly entryOut: Exclude<Fate, 'refused'>;
  /** The result of `precise-ttl deploy --destroy`. */
  readonly destroyed: Exclude<Fate, 'refused'>;
}

/** Log groups that every deployment has. */
const LOGS = ['plan-sweep', 'query-expired', 'delete-chunk', 'record-metrics', 'sweep', 'replay'];

/** Log groups that props turn on and off. After they are turned on again they are the same groups: see `Guard.adopt`. */
const OPTIONAL_LOGS = ['archive/reader/archive-expiries', 'events/reader/publish-expiries'];

const logsOf = (path: string) => `${path}/logs`;

/**
 * All resources that hold data, and how they can be removed. Nothing else in a deployment holds data that the next deployment could not
 * create again. One guard protects all of them (`stacks/parts/guard.ts`), by one rule: **no edit removes them in one step**. A change that
 * would replace one, such as another `name`, is refused in the plan; a resource that an edit turns off stays in AWS, and is used again
 * when it is turned on again.
 *
 * test/config/holdings.test.ts compares the list with the synthesized stack; `npm run docs` makes a table of it in docs/operate.md.
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
    onAgain: 'by `alarms: false`, or another topic; without it again it is the same one',
    entryOut: 'goes',
    destroyed: 'goes',
  },
  logs: {
    what: 'the log groups',
    holds: 'log lines, for `logRetentionDays`',
    type: 'aws_cloudwatch_log_group',
    paths: [...LOGS, ...OPTIONAL_LOGS].map(logsOf),
    turnedOff: 'stays',
    onAgain: 'by `archive`, `events`; with it again it is the same one',
    entryOut: 'goes',
    destroyed: 'goes',
  },
  journal: {
    what: 'the journal',
    holds: 'pauses, watermarks, reports of 90 days',
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
} as const satisfies Readonly<Record<string, Holding>>;

/** Types, by path, of the resources that a deployment or a table has, or leaves in AWS when it no longer has them. */
export const PLACES: ReadonlyMap<string, string> = new Map<string, string>([
  ...Object.values(HOLDINGS).flatMap((holding: Holding) =>
    (holding.paths ?? []).map(path => [path, holding.type ?? ''] as const),
  ),
  // In an earlier version the topic's policy was a resource. Its removal could give the topic SNS's default after the topic has its own.
  ['alarms/topic-policy', 'aws_sns_topic_policy'],
]);

/**
 * The paths in a table's scope. In an earlier version each table had its own deployment: its resources, which the common deployment has
 * now, are left in AWS.
 */
export const TABLE_PLACES: ReadonlyMap<string, string> = new Map(
  [...PLACES].filter(([path]) => !['journal/table', 'replay/logs'].includes(path)),
);

/** The paths in a deployment's scope: all but those of a table. */
export const DEPLOYMENT_PLACES: ReadonlyMap<string, string> = new Map(
  [...PLACES].filter(([path]) => !/^(archive|events)\//.test(path)),
);

/** Paths of resources that can be turned on again, but that AWS would refuse to create again. */
export const ADOPTED: readonly string[] = OPTIONAL_LOGS.map(logsOf);
