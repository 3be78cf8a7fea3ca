import type { FieldProblem } from '../expiry/errors.ts';
import { DEFAULT_GRANULARITY_MINUTES, type ExpiryModelProps, modelProblems } from '../expiry/model.ts';
import { MAX_LOOKBACK_MINUTES, MAX_PAIRS } from '../functions/plan-sweep/sweep-input.ts';
import { DELETE_MODES, type DeleteMode } from '../functions/runtime/environment.ts';
import type { ConcurrencyOptions } from '../statemachine/definition.ts';
import { attributeName, boolean, type FieldChecks, oneOf, required, text, whole } from './fields.ts';

/** Types that a key attribute can have. */
export const KEY_TYPES = ['S', 'N', 'B'] as const;
export type KeyType = (typeof KEY_TYPES)[number];

/** One table and how its expired items are swept. */
export interface PreciseTtlProps
  extends Omit<ExpiryModelProps, 'defaultTtlSeconds'>,
    Partial<ConcurrencyOptions> {
  /** Name of the DynamoDB table. */
  readonly tableName: string;
  /** The table is there already and is only swept; its index must be there too. @default false: it is created */
  readonly existingTable?: boolean;
  /** DynamoDB refuses to delete the created table. Terraform never deletes it, whatever this says. @default true */
  readonly deletionProtection?: boolean;
  /** The created table can be restored to any second of the last 35 days. @default true */
  readonly pointInTimeRecovery?: boolean;
  /** Type of the partition key. @default 'S' */
  readonly partitionKeyType?: KeyType;
  /** Type of the sort key. @default 'S' */
  readonly sortKeyType?: KeyType;
  /** Name of the index. @default 'expirationWindowIndex' */
  readonly indexName?: string;
  /** Prefix of the names of everything that is provisioned. @default 'precise-ttl-' and the table's name */
  readonly name?: string;
  /** 'guarded' re-checks each item's TTL as it deletes; 'batch' is faster and does not. @default 'guarded' */
  readonly deleteMode?: DeleteMode;
  /**
   * The most seconds from an item's expiry to the poll that deletes it, while the sweep keeps up; 60 is the plain mode,
   * which sweeps once a minute. Cost: docs/cost.md. @default 1
   */
  readonly precisionSeconds?: number;
  /**
   * The most seconds between two polls, for items written less than two minutes before they expire. Every shard is then
   * polled all the time. 0 = poll only when a known item expires. Cost: docs/cost.md. @default 0
   */
  readonly pollSeconds?: number;
  /** Calls of DeleteChunk for one chunk, the first included. @default 20 */
  readonly deleteAttempts?: number;
  /** Upper bound of the first wait for capacity, seconds; it doubles from attempt to attempt. @default 1 */
  readonly backoffBaseSeconds?: number;
  /** Upper bound of every wait for capacity, seconds. @default 20 */
  readonly backoffCapSeconds?: number;
  /** How far back every tick searches for items that earlier sweeps left, minutes. @default 10, or one window if that is longer */
  readonly lookbackMinutes?: number;
  /** How far back the hourly reconcile searches, hours. @default 24 */
  readonly reconcileHours?: number;
  /** Whether the schedules run; false pauses the sweep. @default true */
  readonly enabled?: boolean;
  /** How long logs are kept, days. @default 30 */
  readonly logRetentionDays?: number;
  /** Memory of each function, MB; the processor's share grows with it. @default 512 */
  readonly functionMemoryMb?: number;
  /** Namespace of the CloudWatch metrics. @default 'PreciseTtl' */
  readonly metricsNamespace?: string;
}

/** The props with every default filled in. A table without a sort key has none here either. */
export type ResolvedProps = Readonly<Required<Omit<PreciseTtlProps, 'sortKey'>> & { sortKey?: string }>;

/** Retention periods that CloudWatch Logs takes. Source: PutRetentionPolicy in its API reference. */
const LOG_RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
];

/**
 * A name such that the longest thing named after it stays within AWS's limit: the function `<name>-record-metrics`
 * and the roles have 64 characters.
 */
const MAX_NAME_LENGTH = 45;

const CHECKS: FieldChecks<PreciseTtlProps> = {
  tableName: required(
    text(/^[A-Za-z0-9_.-]{3,255}$/, 'a table name: 3 to 255 letters, digits, `_`, `-` and `.`'),
  ),
  existingTable: boolean(),
  deletionProtection: boolean(),
  pointInTimeRecovery: boolean(),
  partitionKey: required(attributeName()),
  partitionKeyType: oneOf(KEY_TYPES),
  sortKey: attributeName(),
  sortKeyType: oneOf(KEY_TYPES),
  ttlAttribute: attributeName(),
  windowAttribute: attributeName(),
  indexName: text(/^[A-Za-z0-9_.-]{3,255}$/, 'an index name: 3 to 255 letters, digits, `_`, `-` and `.`'),
  name: text(
    new RegExp(`^[A-Za-z0-9_-]{1,${MAX_NAME_LENGTH}}$`),
    `a name of 1 to ${MAX_NAME_LENGTH} letters, digits, \`_\` and \`-\``,
  ),
  // Values of the model are judged by the model itself; see below.
  granularityMinutes: undefined,
  shards: undefined,
  deleteMode: oneOf(DELETE_MODES),
  precisionSeconds: whole(1, 60),
  pollSeconds: whole(0, 60),
  lookbackMinutes: whole(1, MAX_LOOKBACK_MINUTES),
  reconcileHours: whole(1, MAX_LOOKBACK_MINUTES / 60),
  enabled: boolean(),
  shardConcurrency: whole(0, 1000),
  chunkConcurrency: whole(1, 40),
  deleteAttempts: whole(1, 100),
  backoffBaseSeconds: whole(1, 60),
  backoffCapSeconds: whole(1, 30),
  logRetentionDays: oneOf(LOG_RETENTION_DAYS),
  functionMemoryMb: whole(128, 10_240),
  // Source: CloudWatch API reference, PutMetricData, and its User Guide, "Namespaces".
  metricsNamespace: text(
    /^(?!AWS\/|:| *$)[A-Za-z0-9_./#: -]{1,255}$/,
    'a CloudWatch namespace of 1 to 255 letters, digits, blanks and _ . / # : -, not beginning with AWS/ or a colon',
  ),
};

export const PROP_NAMES = Object.keys(CHECKS) as (keyof PreciseTtlProps)[];
const REQUIRED = ['tableName', 'partitionKey'] as const satisfies (keyof PreciseTtlProps)[];

/** Everything that is wrong with the props; empty when they are good. */
export function propProblems(props: PreciseTtlProps): FieldProblem[] {
  const missing = REQUIRED.filter(field => props[field] === undefined).map(
    (field): FieldProblem => ({
      field,
      expected: 'a value: there is no default for it',
      got: undefined,
      remedy: 'Add the field.',
    }),
  );
  const wrong = PROP_NAMES.flatMap(field => {
    const value = props[field];
    return value === undefined ? [] : (CHECKS[field]?.(field, value) ?? []);
  });
  if (missing.length > 0 || wrong.length > 0) return [...missing, ...wrong];
  const ofModel = modelProblems(props);
  return ofModel.length > 0 ? ofModel : relationProblems(props);
}

/** What is wrong between fields that are each fine. */
function relationProblems(props: PreciseTtlProps): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const resolved = resolveProps(props);
  if (resolved.lookbackMinutes < resolved.granularityMinutes) {
    problems.push({
      field: 'lookbackMinutes',
      expected: `at least one window (granularityMinutes: ${resolved.granularityMinutes})`,
      got: resolved.lookbackMinutes,
      remedy: 'Raise it or leave it out: a tick must reach the window that has just ended.',
    });
  }
  if (resolved.reconcileHours * 60 < resolved.lookbackMinutes) {
    problems.push({
      field: 'reconcileHours',
      expected: `at least the lookback of a tick (${resolved.lookbackMinutes} minutes)`,
      got: resolved.reconcileHours,
      remedy: 'Raise it: the reconcile is there for what lies further back than a tick looks.',
    });
  }
  // One window more than fits into the time: the first is entered in its middle. The reconcile comes in parts instead.
  const pairs = (Math.ceil(resolved.lookbackMinutes / resolved.granularityMinutes) + 1) * resolved.shards;
  if (pairs > MAX_PAIRS) {
    problems.push({
      field: 'lookbackMinutes',
      expected: `at most ${MAX_PAIRS} windows and shards to look back into in a tick`,
      got: `${pairs} (${resolved.shards} shards, back ${resolved.lookbackMinutes} minutes in windows of ${resolved.granularityMinutes})`,
      remedy:
        'Lower it: the hourly reconcile goes back further. Or lower shards, or raise granularityMinutes.',
    });
  }
  if (resolved.backoffCapSeconds < resolved.backoffBaseSeconds) {
    problems.push({
      field: 'backoffCapSeconds',
      expected: `at least backoffBaseSeconds (${resolved.backoffBaseSeconds})`,
      got: resolved.backoffCapSeconds,
      remedy: 'Raise the cap or lower the base.',
    });
  }
  if (resolved.pollSeconds > 0 && resolved.pollSeconds < resolved.precisionSeconds) {
    problems.push({
      field: 'pollSeconds',
      expected: `0, or at least precisionSeconds (${resolved.precisionSeconds})`,
      got: resolved.pollSeconds,
      remedy: 'Raise it, or lower precisionSeconds: polls are never closer than that.',
    });
  }
  if (resolved.pollSeconds > 0 && resolved.precisionSeconds === 60) {
    problems.push({
      field: 'pollSeconds',
      expected: '0 in the plain mode (precisionSeconds: 60)',
      got: resolved.pollSeconds,
      remedy:
        'The plain mode does not poll between its ticks: lower precisionSeconds or leave pollSeconds out.',
    });
  }
  if (props.sortKeyType !== undefined && props.sortKey === undefined) {
    problems.push({
      field: 'sortKeyType',
      expected: 'sortKeyType together with sortKey',
      got: props.sortKeyType,
      remedy: 'Name the sort key too, or leave out its type.',
    });
  }
  if (resolved.name.length > MAX_NAME_LENGTH) {
    problems.push({
      field: 'name',
      expected: `at most ${MAX_NAME_LENGTH} characters`,
      got: resolved.name,
      remedy: 'The name made from tableName is too long: choose a shorter one with the field name.',
    });
  }
  return problems;
}

/** Fills in the defaults. */
export function resolveProps(props: PreciseTtlProps): ResolvedProps {
  const granularityMinutes = props.granularityMinutes ?? DEFAULT_GRANULARITY_MINUTES;
  return {
    tableName: props.tableName,
    existingTable: props.existingTable ?? false,
    deletionProtection: props.deletionProtection ?? true,
    pointInTimeRecovery: props.pointInTimeRecovery ?? true,
    partitionKey: props.partitionKey,
    partitionKeyType: props.partitionKeyType ?? 'S',
    ...(props.sortKey === undefined ? {} : { sortKey: props.sortKey }),
    sortKeyType: props.sortKeyType ?? 'S',
    ttlAttribute: props.ttlAttribute ?? 'ttl',
    windowAttribute: props.windowAttribute ?? 'expirationWindow',
    indexName: props.indexName ?? 'expirationWindowIndex',
    name: props.name ?? `precise-ttl-${props.tableName.replaceAll('.', '-')}`,
    granularityMinutes,
    shards: props.shards ?? 1,
    deleteMode: props.deleteMode ?? 'guarded',
    precisionSeconds: props.precisionSeconds ?? 1,
    pollSeconds: props.pollSeconds ?? 0,
    lookbackMinutes: props.lookbackMinutes ?? Math.max(10, granularityMinutes),
    reconcileHours: props.reconcileHours ?? 24,
    enabled: props.enabled ?? true,
    shardConcurrency: props.shardConcurrency ?? 20,
    chunkConcurrency: props.chunkConcurrency ?? 10,
    deleteAttempts: props.deleteAttempts ?? 20,
    backoffBaseSeconds: props.backoffBaseSeconds ?? 1,
    backoffCapSeconds: props.backoffCapSeconds ?? 20,
    logRetentionDays: props.logRetentionDays ?? 30,
    functionMemoryMb: props.functionMemoryMb ?? 512,
    metricsNamespace: props.metricsNamespace ?? 'PreciseTtl',
  };
}
