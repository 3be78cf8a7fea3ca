import {
  boolean,
  isObject,
  type Kind,
  kind,
  objectProblems,
  oneOf,
  text,
  type ValueOf,
  whole,
} from '../expiry/fields.ts';
import {
  DEFAULT_GRANULARITY_MINUTES,
  DEFAULT_INDEXED_BY,
  DEFAULT_SHARDS,
  DEFAULT_TTL_ATTRIBUTE,
  DEFAULT_WINDOW_ATTRIBUTE,
  type IndexedBy,
} from '../expiry/model.ts';
import {
  PROOF_FUNCTIONS,
  type ProofFunctionName,
  STREAM_FUNCTIONS,
  type StreamFunctionName,
} from '../functions/function-list.ts';
import { SETTING_KINDS, type Settings } from '../functions/runtime/environment.ts';
import { BACKFILL_TASKS, type BackfillTaskName } from '../statemachine/backfill-contract.ts';
import { TASKS, type TaskName } from '../statemachine/contract.ts';
import { ALARM_TOPIC, ALARMS_KIND, type AlarmsProp } from './alarms.ts';
import { listOf, orReference } from './references.ts';
import { ARCHIVE, EVENTS, resolvedArchive } from './stream-props.ts';
import { PROVISIONED_CAPACITY, STREAM_VIEWS, TABLE_CLASSES, WARM_THROUGHPUT } from './table-settings.ts';
import { TAGS_OR_REFERENCES } from './tags.ts';
import { anyOf, both, equal, given, less, NONE, replaced, sum, when } from './values.ts';

/** Types that a key attribute can have. */
const KEY_TYPES = ['S', 'N', 'B'] as const;
export type KeyType = (typeof KEY_TYPES)[number];

/** Retention periods that CloudWatch Logs takes. Source: PutRetentionPolicy in its API reference. */
const LOG_RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
];

/**
 * A name such that the longest thing named after it stays within AWS's limit: the function `<name>-backfill-segment`
 * and the roles have 64 characters.
 */
export const MAX_NAME_LENGTH = 45;

/** The part of a VPC that the functions run in. */
export interface FunctionVpc {
  /** Of private subnets with a way to DynamoDB. */
  readonly subnetIds: readonly string[];
  readonly securityGroupIds: readonly string[];
}

const DEFAULT_PRECISION_SECONDS = 1;

/** Name of the deployment that a configuration's tables share. */
export const DEFAULT_SWEEP = 'precise-ttl';

const NAME = text(
  new RegExp(`^[A-Za-z0-9_-]{1,${MAX_NAME_LENGTH}}$`),
  `a name of 1 to ${MAX_NAME_LENGTH} letters, digits, \`_\` and \`-\``,
);

/** precisionSeconds of the plain mode: nothing runs between two ticks. */
export const PLAIN_MODE_SECONDS = 60;

/** What to do about a value that its kind says nothing better of. */
export const CORRECT = 'Correct the value, or leave the field out for its default.';

/** What each list of a VPC holds, and the most of them. Source: Lambda API reference, VpcConfig. */
export const VPC_IDS = {
  subnetIds: {
    pattern: /^subnet-[0-9a-z]+$/,
    expected: "the id of a subnet, e.g. 'subnet-0a1b2c3d'",
    most: 16,
  },
  securityGroupIds: {
    pattern: /^sg-[0-9a-zA-Z]+$/,
    expected: "the id of a security group, e.g. 'sg-0a1b2c3d'",
    most: 5,
  },
} as const satisfies { readonly [Name in keyof FunctionVpc]: IdList };

interface IdList {
  readonly pattern: RegExp;
  readonly expected: string;
  readonly most: number;
}

export const VPC_KINDS = {
  subnetIds: idList(VPC_IDS.subnetIds),
  securityGroupIds: idList(VPC_IDS.securityGroupIds),
} satisfies { readonly [Name in keyof FunctionVpc]: Kind<readonly string[]> };

function idList({ pattern, expected, most }: IdList): Kind<readonly string[]> {
  return listOf(orReference(text(pattern, expected)), most);
}

const VPC: Kind<FunctionVpc> = kind(isObject, '{ subnetIds: […], securityGroupIds: […] }', {
  inside: vpc => objectProblems(VPC_KINDS, vpc, { required: Object.keys(VPC_KINDS), remedy: CORRECT }),
});

const KMS_KEY_ARN = orReference(
  text(
    /^arn:[a-z0-9-]+:kms:[a-z0-9-]+:\d{12}:key\/[A-Za-z0-9-]+$/,
    "the ARN of a key and not of an alias, e.g. 'arn:aws:kms:eu-central-1:123456789012:key/1234abcd-…'",
  ),
);

/** The ARN of a role in IAM. */
export const ROLE_ARN = text(
  /^arn:[a-z0-9-]+:iam::\d{12}:role\/[\x21-\x7e]{1,576}$/,
  "the ARN of a role, e.g. 'arn:aws:iam::123456789012:role/sweeps/plan-sweep'",
);

/** Roles of a deployment: of its functions by their state, of its state machines, of its schedules. */
export const DEPLOYMENT_ROLES = [
  ...(Object.keys(TASKS) as TaskName[]),
  'sweep',
  'replay',
  'schedule',
] as const;

/** Roles of what a table has for itself: of its functions, and of the state machine of its backfill. */
export const TABLE_ROLES = [
  ...(Object.keys(STREAM_FUNCTIONS) as StreamFunctionName[]),
  ...(Object.keys(PROOF_FUNCTIONS) as ProofFunctionName[]),
  'proofSchedule',
  ...(Object.keys(BACKFILL_TASKS) as BackfillTaskName[]),
  'backfill',
] as const;

export type RoleKey = (typeof DEPLOYMENT_ROLES)[number] | (typeof TABLE_ROLES)[number];

function roleArns<Key extends string>(keys: readonly Key[]): Kind<{ readonly [Role in Key]?: string }> {
  const kinds = Object.fromEntries(keys.map(key => [key, orReference(ROLE_ARN)]));
  return kind(isObject, `{ ${keys[0]}: 'arn:…', … }: roles by their name`, {
    inside: given => objectProblems(kinds, given, { remedy: CORRECT }),
  });
}

/** The props that other props' defaults are made of. */
interface Before {
  readonly tableName: string;
  readonly indexedBy?: IndexedBy;
  readonly granularityMinutes?: number;
  readonly precisionSeconds?: number;
}

interface RequiredProp<Value> {
  readonly kind: Kind<Value>;
  readonly isRequired: true;
}

interface DefaultedProp<Value> {
  readonly kind: Kind<Value>;
  readonly isRequired: false;
  readonly byDefault: (props: Before) => Value;
}

/** A prop that the resolved ones may lack too. */
interface AbsentProp<Value> {
  readonly kind: Kind<Value>;
  readonly isRequired: false;
}

function required<Value>(kind: Kind<Value>): RequiredProp<Value> {
  return { kind, isRequired: true };
}

function optional<Value>(kind: Kind<Value>, byDefault: Value): DefaultedProp<Value> {
  return { kind, isRequired: false, byDefault: () => byDefault };
}

function calculated<Value>(kind: Kind<Value>, byDefault: (props: Before) => Value): DefaultedProp<Value> {
  return { kind, isRequired: false, byDefault };
}

function orNone<Value>(kind: Kind<Value>): AbsentProp<Value> {
  return { kind, isRequired: false };
}

/**
 * The props of a table: everything about them that is written by hand. Their types, checks and defaults come from this list;
 * `npm run docs` makes the table in docs/configuration.md of it, in which the comments are the texts. A prop that the
 * functions know stands in SETTING_KINDS too.
 */
export const PROPS = {
  /** name of the DynamoDB table */
  tableName: required(SETTING_KINDS.tableName),
  /**
   * the table exists already, and is only swept; see [An existing table](existing-table.md)
   * @default `false`: it is created
   */
  existingTable: optional(boolean(), false),
  /**
   * DynamoDB refuses to delete the created table, whoever asks. Terraform never deletes it, with or without this: [Tables are
   * never deleted](deploy.md#tables-are-never-deleted)
   */
  deletionProtection: optional(boolean(), true),
  /**
   * the created table can be restored to any second of the last 35 days: the way back if something was deleted by mistake. It
   * costs about $0.20 per GB and month
   */
  pointInTimeRecovery: optional(boolean(), true),
  /**
   * ARN of a customer managed key that encrypts the table, its index, its stream and its backups. A created table gets it; of an
   * existing table it is the key that it has. The functions' roles may then use it. What its key policy must say, and how to
   * take it back: [The table's key](deploy.md#the-tables-key)
   * @default a created table has the key that DynamoDB owns
   */
  tableKmsKeyArn: orNone(KMS_KEY_ARN),
  /**
   * the created table has a stream of its changes: `'KEYS_ONLY'`, `'NEW_IMAGE'`, `'OLD_IMAGE'` or `'NEW_AND_OLD_IMAGES'`. With
   * another value the stream is made anew, and its readers have to begin again. The sweep needs none; `archive` and `events`
   * need one with old images
   * @default `'NEW_AND_OLD_IMAGES'` with `archive` or `events`; else a deployment leaves alone whether the table has one
   */
  stream: orNone(oneOf(STREAM_VIEWS)),
  /**
   * `{ read, write }`, units a second that the created table is provisioned with, and `{ …, indexRead, indexWrite }` where its
   * index needs others. An index that cannot keep up throttles the writes to its table. See [Capacity](deploy.md#capacity)
   * @default on demand
   */
  provisionedCapacity: orNone(PROVISIONED_CAPACITY),
  /**
   * `{ read, write }`, units a second that the created table and its index take from the first minute on, at least 12,000 and
   * 4,000, which every table takes. Only for a table on demand, and only when it is created: see
   * [Capacity](deploy.md#capacity). It costs once, when the table is created
   * @default what every new table takes
   */
  warmThroughput: orNone(WARM_THROUGHPUT),
  /**
   * `'STANDARD'`, or `'STANDARD_INFREQUENT_ACCESS'`: storage costs less and each read and write more. DynamoDB takes two changes
   * in 30 days
   */
  tableClass: optional(oneOf(TABLE_CLASSES), 'STANDARD'),
  /** name of the partition key */
  partitionKey: required(SETTING_KINDS.partitionKey),
  /** `'S'`, `'N'` or `'B'` */
  partitionKeyType: optional(oneOf(KEY_TYPES), 'S'),
  /**
   * name of the sort key
   * @default the table has none
   */
  sortKey: orNone(SETTING_KINDS.sortKey),
  /** `'S'`, `'N'` or `'B'` */
  sortKeyType: optional(oneOf(KEY_TYPES), 'S'),
  /** attribute with the moment of expiry: Number, epoch **seconds** */
  ttlAttribute: optional(SETTING_KINDS.ttlAttribute, DEFAULT_TTL_ATTRIBUTE),
  /**
   * what the partition key of the index is. `'window'`: the window that a writer stamps on each item, which can have shards.
   * `'second'`: the TTL attribute itself, so that writers stamp nothing. Which to take: [indexes.md](indexes.md)
   */
  indexedBy: optional(SETTING_KINDS.indexedBy, DEFAULT_INDEXED_BY),
  /** by window: attribute with the window's key; partition key of the index */
  windowAttribute: optional(SETTING_KINDS.windowAttribute, DEFAULT_WINDOW_ATTRIBUTE),
  /**
   * name of the index
   * @default `'expirationWindowIndex'`; by second `'expirySecondIndex'`
   */
  indexName: calculated(SETTING_KINDS.indexName, ({ indexedBy }) =>
    when(equal(indexedBy, 'second'), 'expirySecondIndex', 'expirationWindowIndex'),
  ),
  /**
   * by window: length of a window; a divisor of a day. One query finds all that is due in a window, however late. Take another length
   * than a day only for items that have it already: 1 is the format that was published
   * @default `1440`
   */
  granularityMinutes: calculated(SETTING_KINDS.granularityMinutes, ({ indexedBy }) =>
    // By second a sweep is planned in minutes.
    when(equal(indexedBy, 'second'), 1, DEFAULT_GRANULARITY_MINUTES),
  ),
  /**
   * by window: index keys that one window is spread over, 1 to 1,000. One takes 400 items a second; for more see
   * [How many shards](#how-many-shards). You can raise it at any time, first in the deployment and then in
   * the writers. To lower it, change the writers first, and the deployment once all items that they stamped before have
   * expired: items in a shard that is no longer swept are left to native TTL
   */
  shards: calculated(SETTING_KINDS.shards, ({ indexedBy }) =>
    when(equal(indexedBy, 'second'), 1, DEFAULT_SHARDS),
  ),
  /**
   * `'guarded'` checks each item's TTL again in the delete itself. `'batch'` does not, and is faster: use it only for tables
   * whose keys are never written again once they have a TTL
   */
  deleteMode: optional(SETTING_KINDS.deleteMode, 'guarded'),
  /**
   * attribute that holds an item: while an item has it, with whatever value, no sweep deletes the item. It is checked in the
   * delete itself, so it needs `deleteMode: 'guarded'`, and native TTL, which knows no such attribute, has to be off:
   * [Hold and grace](hold-and-grace.md)
   * @default no item is held
   */
  holdAttribute: orNone(SETTING_KINDS.holdAttribute),
  /**
   * attribute whose holds are given up: without it no plan takes `holdAttribute` away or changes it, since the sweeps would delete what
   * is held. Leave it out again when it is deployed: [Another hold attribute, or none](hold-and-grace.md#another-hold-attribute-or-none)
   * @default no hold is given up
   */
  releasesHoldsOf: orNone(SETTING_KINDS.holdAttribute),
  /**
   * seconds between an item's expiry and its deletion, at most 2,592,000 (30 days). Readers see the item gone at its TTL as before; the
   * sweep deletes it so much later, with the same precision. Above 0 native TTL has to be off: [Hold and grace](hold-and-grace.md)
   */
  graceSeconds: optional(SETTING_KINDS.graceSeconds, 0),
  /**
   * the most seconds from an item's expiry to the poll that deletes it, while the sweep keeps up, 1 to 60. `60` is the plain
   * mode: one sweep a minute, and nothing runs in between. What it costs: [cost.md](cost.md)
   */
  precisionSeconds: optional(SETTING_KINDS.precisionSeconds, DEFAULT_PRECISION_SECONDS),
  /**
   * the most seconds between two polls, for items that are written less than two minutes before they expire: 0, or
   * `precisionSeconds` to 60; 0 in the plain mode. With 0 a child polls only when an item that it knows of expires. With
   * another value every shard is polled all the time, even when the table is idle. By second a child asks for each second when
   * it comes, whatever it knows of: there it is 0 or `precisionSeconds`, and 0 means that a minute for which no item is known
   * has no child. What it costs: [cost.md](cost.md)
   * @default `0`; by second `precisionSeconds`, or 0 in the plain mode
   */
  pollSeconds: calculated(
    SETTING_KINDS.pollSeconds,
    ({ indexedBy, precisionSeconds = DEFAULT_PRECISION_SECONDS }) =>
      when(both(equal(indexedBy, 'second'), less(precisionSeconds, PLAIN_MODE_SECONDS)), precisionSeconds, 0),
  ),
  /**
   * how far back every tick searches for items that earlier sweeps left: at most 44,640 minutes (31 days) and 60,000 windows and
   * shards. Each window that it reaches is searched as a whole, so that windows of a day are: today's, and yesterday's in the
   * first minutes of a day. By second each of its seconds is a query: a minute costs $0.22 a month
   * @default `10`; by second `2`
   */
  lookbackMinutes: calculated(SETTING_KINDS.lookbackMinutes, ({ indexedBy }) =>
    when(equal(indexedBy, 'second'), 2, 10),
  ),
  /**
   * by window: a second state machine, which writes the window into items that were there before their writers did. Nothing
   * starts it by itself: [Items that are there](existing-table.md#items-that-are-there). Leave it out again when it is done
   */
  backfill: optional(boolean(), false),
  /**
   * expired items are kept in S3: `{}`, or any of `{ bucket, prefix, removals, format, batchSeconds, coldAfterDays }`. The bucket is
   * created, unless `bucket` names one, and no deployment deletes it. `removals`: `'expiries'`, or `'all'`. `format`:
   * `'dynamodb-json'`, which can be restored, or `'json'`. `batchSeconds`: how long removals are gathered for one object, 0 to 300,
   * default 60. `coldAfterDays`: when an object goes to colder storage, default 90. See [The archive](archive.md)
   * @default nothing is kept
   */
  archive: orNone(ARCHIVE),
  /**
   * the sweep deletes an item only after it is in the archive. Only with `archive` and `deleteMode: 'guarded'`. What it costs in
   * time and money: [The archive](archive.md)
   */
  archiveFirst: optional(boolean(), false),
  /**
   * each day gets a manifest of its deletions, in a bucket that is created. With `archive` it does so anyway, in the archive's bucket. See
   * [Proof of deletion](archive.md#proof-of-deletion)
   * @default with an archive only
   */
  proof: orNone(boolean()),
  /**
   * an expiry becomes an event: `{ eventBus }`, the name or ARN of a bus of EventBridge, `{ queueArn }`, a queue, `{ streamArn }`, a stream
   * of Kinesis, or `{ functionArn }`. With `oldImage: true` the event has the item as it was. With `includePast: true` what expired in the 24 hours before
   * comes, too. See [Scheduling](scheduling.md)
   * @default there are none
   */
  events: orNone(EVENTS),
  /**
   * name of the deployment that sweeps the table, and prefix of the names of what the deployment has: at most 45 letters, digits, `_` and
   * `-`. Tables with the same name share one set of functions and roles, one schedule, one journal and one set of alarms. Another
   * name puts the table behind a wall of its own: [One deployment for all tables](#one-deployment-for-all-tables)
   */
  sweep: optional(NAME, DEFAULT_SWEEP),
  /**
   * whether ticks sweep the table. With `false` they do not; replays still work. A deployment whose tables are all off has no
   * schedules. To stop for a while, `precise-ttl pause` needs no deployment: [Pausing](operations.md#pausing-and-slowing-down)
   */
  enabled: optional(boolean(), true),
  /**
   * children of the lookback (one per window and shard) that run at once, besides those of the upcoming minute; `0` =
   * as many as Step Functions runs; at most 1,000
   */
  shardConcurrency: optional(SETTING_KINDS.shardConcurrency, 20),
  /** chunks of 25 keys that a child deletes at once, 1 to 40 */
  chunkConcurrency: optional(SETTING_KINDS.chunkConcurrency, 10),
  /**
   * `'daily'`: once a day a scan reads the table's whole index, deletes what is overdue however long ago it expired, and counts and names
   * what no sweep deletes: [A scan of the index](operations.md#a-scan-of-the-index). `'off'`: none is started but by
   * `precise-ttl replay --index`
   */
  indexScan: optional(SETTING_KINDS.indexScan, 'daily'),
  /**
   * deletes per second at most; `0` = no limit. What the sweep does not get done then is late, and not lost. It is spread over
   * the children that run; see [A limit](#a-limit) for what that means. Without a limit, too, a child slows down while DynamoDB
   * throttles its deletes
   */
  maxDeletesPerSecond: optional(SETTING_KINDS.maxDeletesPerSecond, 0),
  /** calls for one chunk, the first included, before its keys count as failed, 1 to 100 */
  deleteAttempts: optional(SETTING_KINDS.deleteAttempts, 20),
  /**
   * upper bound of the first wait before unprocessed keys, or a query that DynamoDB was too busy for, are tried again. The bound
   * doubles each time, and each wait is a random share of it
   */
  backoffBaseSeconds: optional(SETTING_KINDS.backoffBaseSeconds, 1),
  /** the most that this bound grows to, from `backoffBaseSeconds` to 30 */
  backoffCapSeconds: optional(SETTING_KINDS.backoffCapSeconds, 20),
  /** how long logs are kept, one of CloudWatch's periods */
  logRetentionDays: optional(oneOf(LOG_RETENTION_DAYS), 30),
  /**
   * what logs, causes of failures and reports show of items' keys: `'full'`, `'hash'` or `'none'`. Commands show no more of them. What
   * a hash is good for, and where keys stand anyhow: [security.md](security.md#keys-in-logs)
   */
  logKeys: optional(SETTING_KINDS.logKeys, 'full'),
  /** memory of each function, 128 to 10,240 */
  functionMemoryMb: optional(whole(128, 10_240), 512),
  /** processor of the functions: `'arm64'`, or `'x86_64'` for a region or a rule that has no other. It costs a quarter more a second */
  functionArchitecture: optional(oneOf(['arm64', 'x86_64']), 'arm64'),
  /** Node.js of the functions: `'nodejs24.x'`, or `'nodejs22.x'` for a region or a rule that has no newer one */
  functionRuntime: optional(oneOf(['nodejs24.x', 'nodejs22.x']), 'nodejs24.x'),
  /** CloudWatch namespace of the metrics; it must not begin with `AWS/` */
  metricsNamespace: optional(
    // Source: CloudWatch API reference, PutMetricData, and its User Guide, "Namespaces".
    text(
      /^(?!AWS\/|:| *$)[A-Za-z0-9_./#: -]{1,255}$/,
      'a CloudWatch namespace of 1 to 255 letters, digits, blanks and _ . / # : -, not beginning with AWS/ or a colon',
    ),
    'PreciseTtl',
  ),
  /**
   * `'all'` records every metric. `'essential'` records only what cannot be had for free, the lag of the deletions: a table that is
   * busy all month then costs $0.30 for metrics. See [Monitoring](monitoring.md#essential-metrics)
   */
  metrics: optional(SETTING_KINDS.metrics, 'all'),
  /**
   * whether the table also has metrics of its own, with the dimension `TableName`. Without it the metrics are those of the whole deployment,
   * and which table something is about is told by `precise-ttl status`. Each metric of a table costs as much as one of the deployment
   */
  metricsPerTable: optional(SETTING_KINDS.metricsPerTable, false),
  /**
   * the alarms: `false` for none, or by name `false` or what is set of one, e.g.
   * `{ shardsFailed: false, deletionLag: { threshold: 30000, periods: 2 } }`. Each, and its defaults:
   * [Monitoring](monitoring.md#alarms)
   * @default all of them whose metric is recorded
   */
  alarms: calculated<AlarmsProp>(ALARMS_KIND, () => ({})),
  /**
   * ARN of the SNS topic that the alarms tell, which CloudWatch must be allowed to publish to
   * @default a topic of the deployment's own, `<sweep>-alarms`
   */
  alarmTopicArn: orNone(orReference(text(ALARM_TOPIC.pattern, ALARM_TOPIC.expected))),
  /** whether the deployment has a dashboard in CloudWatch, named as everything of it. What is on it: [Monitoring](monitoring.md#dashboard) */
  dashboard: optional(boolean(), true),
  /**
   * whether each sweep is traced in X-Ray, as one trace. A deployment that is idle pays about $0.22 a month for it: a
   * trace says no more than the journal and the logs
   */
  tracing: optional(boolean(), false),
  /**
   * whether each call of a function is traced in X-Ray, also one that no sweep made. It costs as much as `tracing` for each function
   * that is called
   */
  functionTracing: optional(boolean(), false),
  /**
   * tags for everything of this table that can have some, besides those of the configuration, by the same rules. What a deployment has
   * for several tables gets those that all of them have. A schedule can have none; its group has them
   * @default none
   */
  tags: orNone(TAGS_OR_REFERENCES),
  /**
   * ARN of a policy that bounds what the roles may do, whatever their own policies say. It must allow what these allow
   * @default none
   */
  permissionsBoundary: orNone(
    orReference(
      text(
        /^arn:[a-z0-9-]+:iam::(aws|\d{12}):policy\/[\x21-\x7e]+$/,
        "the ARN of an IAM policy, e.g. 'arn:aws:iam::123456789012:policy/boundary'",
      ),
    ),
  ),
  /**
   * path of the roles in IAM, e.g. `/teams/identity/`. A role that is there already is replaced when it changes: no sweep starts until that deployment is done, which may mean that you repeat it
   * @default `/`
   */
  rolePath: orNone(
    orReference(
      // Source: IAM API reference, CreateRole.
      text(
        /^(?=.{1,512}$)\/([\x21-\x7e]+\/)?$/,
        'a path of at most 512 characters that begins and ends with a slash',
      ),
    ),
  ),
  /**
   * ARNs of roles that are made elsewhere, any of `{ PlanSweep, QueryExpired, DeleteChunk, RecordMetrics, sweep, replay, schedule }`: of the
   * functions by their state, of the state machines of ticks and of replays, and of the schedules. For them neither a role nor a
   * policy is made; what they must be allowed, and by whom they must be taken, is printed by `precise-ttl iam roles`. See
   * [Roles made elsewhere](security.md#roles-made-elsewhere)
   * @default each has a role of its own
   */
  roleArns: orNone(roleArns(DEPLOYMENT_ROLES)),
  /**
   * the same of what the table has for itself, any of `{ ArchiveExpiries, PublishExpiries, WriteManifest, proofSchedule, PlanBackfill,
   * BackfillSegment, backfill }`: the functions of `archive`, of `events`, of the proof and of `backfill`, the schedule of the proof and the
   * state machine of the backfill
   * @default each has a role of its own
   */
  tableRoleArns: orNone(roleArns(TABLE_ROLES)),
  /**
   * `{ subnetIds, securityGroupIds }`: the functions run in these private subnets of a VPC. They need a way to DynamoDB, such as
   * its gateway endpoint; with `archive` one to S3, with `events` one to where these go; and to nothing else
   * @default the functions run outside of your VPCs
   */
  vpc: orNone(VPC),
  /**
   * ARN of a customer managed key that encrypts the logs, the queues, the created bucket of the archive, the topic of the alarms, the
   * functions' environment, the executions of the state machine and the input of the schedules. Its key policy must let CloudWatch and CloudWatch Logs use it, and leave the rest to IAM;
   * see [A key of your own](cdktf.md#a-key-of-your-own). The table has `tableKmsKeyArn`
   * @default AWS's own keys
   */
  kmsKeyArn: orNone(KMS_KEY_ARN),
  /**
   * prefix of the names of what the table has for itself, that is of its archive, its events and its backfill: at most 45 letters,
   * digits, `_` and `-`. No two may get roles of the same name, nor names that differ by case only
   * @default `'precise-ttl-'` and the table's name
   */
  name: calculated(NAME, ({ tableName }) => `precise-ttl-${replaced(tableName, '.', '-')}`),
};

type PropList = typeof PROPS;
type PropValue<Name extends keyof PropList> = ValueOf<PropList[Name]['kind']>;
type PropNames<Shape> = {
  [Name in keyof PropList]: PropList[Name] extends Shape ? Name : never;
}[keyof PropList];

/** One table and how its expired items are swept. */
export type PreciseTtlProps = {
  readonly [Name in keyof Pick<PropList, PropNames<{ isRequired: true }>>]: PropValue<Name>;
} & { readonly [Name in keyof Pick<PropList, PropNames<{ isRequired: false }>>]?: PropValue<Name> };

type PresentName = PropNames<{ isRequired: true }> | PropNames<{ byDefault: unknown }>;

/** The props with every default filled in. What has none, such as a sort key, can be missing here too. */
export type ResolvedProps = {
  readonly [Name in keyof Pick<PropList, PresentName>]: PropValue<Name>;
} & { readonly [Name in keyof Omit<PropList, PresentName>]?: PropValue<Name> };

export type PropName = keyof PropList;

export const PROP_NAMES = Object.keys(PROPS) as PropName[];

/** Props that a deployment gives to a table which it creates, and so to no other. */
export const OF_CREATED_TABLES = [
  'deletionProtection',
  'pointInTimeRecovery',
  'stream',
  'provisionedCapacity',
  'warmThroughput',
  'tableClass',
] as const;

/**
 * Props of what the tables of a deployment share. They can stand beside `tables` too, for all of them, and those of the tables of one
 * deployment agree.
 */
export const DEPLOYMENT_PROPS = [
  'logRetentionDays',
  'functionMemoryMb',
  'functionArchitecture',
  'functionRuntime',
  'metricsNamespace',
  'metrics',
  'alarms',
  'alarmTopicArn',
  'dashboard',
  'tracing',
  'functionTracing',
  'permissionsBoundary',
  'rolePath',
  'roleArns',
  'vpc',
  'kmsKeyArn',
] as const satisfies readonly (keyof PropList)[];

export type DeploymentProps = Pick<PreciseTtlProps, (typeof DEPLOYMENT_PROPS)[number]>;

/** A table with what stands beside the list of tables, where it does not say otherwise. */
export function withShared<Table extends DeploymentProps>(table: Table, shared: DeploymentProps): Table {
  const missing = DEPLOYMENT_PROPS.filter(prop => table[prop] === undefined && shared[prop] !== undefined);
  return { ...table, ...Object.fromEntries(missing.map(prop => [prop, shared[prop]])) };
}

export const PROP_KINDS = Object.fromEntries(PROP_NAMES.map(name => [name, PROPS[name].kind]));

/** Whether something of the deployment reads the table's stream. */
export function readsStream({ archive, events }: Pick<ResolvedProps, 'archive' | 'events'>): boolean {
  return anyOf(given(archive), given(events));
}

/** What decides whether a table has a ledger, and a proof. */
export type LedgerProps = Pick<ResolvedProps, 'archive' | 'events'> & Partial<Pick<ResolvedProps, 'proof'>>;

/** Whether a manifest of each day's deletions is written. */
export function hasProof({ archive, proof = false }: Omit<LedgerProps, 'events'>): boolean {
  return anyOf(given(archive), proof);
}

/** Whether DeleteChunk writes down what it deletes. */
export function hasLedger(props: LedgerProps): boolean {
  return anyOf(hasProof(props), given(props.events));
}

/** The functions know this of the props. */
export function functionSettings(props: ResolvedProps): Settings {
  const { batchSeconds } = resolvedArchive(props.archive ?? {});
  return { ...props, ...readerSettings({ ...props, batchSeconds }) };
}

/**
 * A reader of the stream has so long after the time for which it gathers records, seconds, until what it has not seen is told of. It
 * usually has a record within a second; a call that fails is tried again with pauses, and the function may take up to a minute.
 */
const READ_WITHIN_SECONDS = 180;

/** What the functions know of the readers of the table's stream. */
export function readerSettings(readers: LedgerProps & { readonly batchSeconds: number }) {
  const { archive, events, batchSeconds } = readers;
  return {
    // Where records are judged, an item goes a second later: decisions.md says why.
    marginSeconds: when(readsStream(readers), 1, NONE),
    archivedWithinSeconds: when(given(archive), sum(batchSeconds, READ_WITHIN_SECONDS), NONE),
    publishedWithinSeconds: when(given(events), READ_WITHIN_SECONDS, NONE),
    proof: when(hasProof(readers), true, NONE),
  } satisfies Partial<Settings>;
}

/** Whether native TTL has to be off: it would delete what is held, and what is still in its grace, within days. */
export function refusesNativeTtl({
  holdAttribute,
  graceSeconds,
}: Pick<ResolvedProps, 'holdAttribute' | 'graceSeconds'>): boolean {
  return holdAttribute !== undefined || graceSeconds > 0;
}

/** Fills in the defaults. */
export function resolveProps(props: PreciseTtlProps): ResolvedProps {
  const values = PROP_NAMES.flatMap(name => {
    const prop = PROPS[name];
    const value = props[name] ?? ('byDefault' in prop ? prop.byDefault(props) : undefined);
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(values);
}
