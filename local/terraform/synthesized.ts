import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { partitionOf, REGION } from '../../stacks/regions.ts';
import { TerraformError } from '../errors.ts';
import { type EventSourceMappingResource, readEventSourceMapping } from './event-source-mapping.ts';
import { Fields } from './fields.ts';
import { describe, isObject, type Json } from './json.ts';
import { type AlarmResource, readMetricAlarm } from './metric-alarm.ts';
import { modulesWithoutEffect } from './modules.ts';
import { partiqlNameProblems } from './partiql-names.ts';
import { type ResolvedBlock, resolveStack } from './stack.ts';

/** The account of every ARN in the local cloud: the one AWS uses in its examples. */
export const LOCAL_ACCOUNT = '123456789012';

/** The region of a stack whose provider block names none; Terraform would take it from the environment. */
export const DEFAULT_REGION = 'us-east-1';

export type KeyType = 'S' | 'N' | 'B';

export interface TableIndex {
  readonly name: string;
  readonly hashKey: string;
  readonly rangeKey?: string;
  readonly projection: 'ALL' | 'KEYS_ONLY' | 'INCLUDE';
  readonly nonKeyAttributes: readonly string[];
}

export interface TableResource {
  /** Where it stands: `aws_dynamodb_table.sessions`. */
  readonly address: string;
  readonly name: string;
  readonly arn: string;
  readonly region: string;
  readonly hashKey: string;
  readonly rangeKey?: string;
  /** Types of the key attributes of the table and its indexes, by name. */
  readonly attributes: Readonly<Record<string, KeyType>>;
  readonly globalIndexes: readonly TableIndex[];
  readonly localIndexes: readonly TableIndex[];
  /** The attribute of native TTL when it is enabled on AWS. Never enabled locally. */
  readonly nativeTtlAttribute?: string;
  readonly stream?: 'KEYS_ONLY' | 'NEW_IMAGE' | 'OLD_IMAGE' | 'NEW_AND_OLD_IMAGES';
}

/** A table that the stack uses but doesn't make. */
export interface ExistingTable {
  readonly address: string;
  readonly name: string;
  readonly region: string;
}

export interface FunctionResource {
  readonly address: string;
  readonly name: string;
  readonly arn: string;
  readonly region: string;
  /** Absolute path of the zip file. */
  readonly archive: string;
  /** `<file without extension>.<export>`. */
  readonly handler: string;
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
  readonly environment: Readonly<Record<string, string>>;
  /** `JSON`: what the function prints by `console` is wrapped into a document a line. */
  readonly logFormat: 'Text' | 'JSON';
  readonly reservedConcurrency?: number;
}

export interface StateMachineResource {
  readonly address: string;
  readonly name: string;
  readonly arn: string;
  readonly region: string;
  readonly roleArn: string;
  readonly type: 'STANDARD' | 'EXPRESS';
  /** JSON text with every reference resolved. */
  readonly definition: string;
}

export interface ScheduleResource {
  readonly address: string;
  readonly name: string;
  readonly arn: string;
  /** `cron(…)`, `rate(…)` or `at(…)`, as written. */
  readonly expression: string;
  readonly timezone: string;
  readonly enabled: boolean;
  readonly targetArn: string;
  readonly roleArn: string;
  /** The target's input with Scheduler's `<aws.scheduler.…>` placeholders in it. */
  readonly input?: string;
  /** It does not fire before, or after, epoch milliseconds. */
  readonly startDate?: number;
  readonly endDate?: number;
  /** What is answered as it was given. Of it only the dead-letter queue counts on this machine, and only how full it is. */
  readonly asGiven?: ScheduleAsGiven;
}

/** By the names of EventBridge Scheduler's API. */
export interface ScheduleAsGiven {
  readonly Description?: string;
  readonly KmsKeyArn?: string;
  readonly ActionAfterCompletion?: string;
  readonly DeadLetterConfig?: { readonly Arn: string };
  readonly RetryPolicy?: {
    readonly MaximumEventAgeInSeconds?: number;
    readonly MaximumRetryAttempts?: number;
  };
}

/** Everything the local cloud needs of what was synthesized, with all references resolved. */
export interface SynthesizedCloud {
  readonly account: string;
  readonly tables: readonly TableResource[];
  readonly existingTables: readonly ExistingTable[];
  readonly functions: readonly FunctionResource[];
  readonly stateMachines: readonly StateMachineResource[];
  readonly schedules: readonly ScheduleResource[];
  readonly alarms: readonly AlarmResource[];
  /** Functions that tables' streams call. */
  readonly mappings: readonly EventSourceMappingResource[];
  /** Names of the buckets that are made. */
  readonly buckets: readonly string[];
  /** Addresses of what has no local counterpart: roles, queues, log groups, dashboards, conditions of Terraform… */
  readonly notRunLocally: readonly string[];
  /** Outputs of all stacks, as `<stack>.<output>`. */
  readonly outputs: Readonly<Record<string, Json>>;
  /** Every resource and data source with its references resolved: what policies grant, for example. */
  readonly blocks: readonly ResolvedBlock[];
}

// Resources that deploy but that nothing in a local run depends on.
const NOT_RUN_LOCALLY = new Set([
  'aws_cloudwatch_dashboard',
  'aws_cloudwatch_log_group',
  'aws_cloudwatch_log_metric_filter',
  'aws_cloudwatch_log_resource_policy',
  'aws_iam_policy',
  'aws_iam_role',
  'aws_iam_role_policy',
  'aws_iam_role_policy_attachment',
  'aws_kms_alias',
  'aws_kms_key',
  'aws_lambda_permission',
  // What is said of a bucket: an object is kept here for as long as its file is.
  'aws_s3_bucket_lifecycle_configuration',
  'aws_s3_bucket_ownership_controls',
  'aws_s3_bucket_policy',
  'aws_s3_bucket_public_access_block',
  'aws_s3_bucket_server_side_encryption_configuration',
  'aws_s3_bucket_versioning',
  'aws_scheduler_schedule_group',
  'aws_sns_topic',
  'aws_sns_topic_policy',
  'aws_sns_topic_subscription',
  'aws_sqs_queue',
  'aws_sqs_queue_policy',
  'terraform_data',
]);

const META = ['depends_on', 'lifecycle', 'provider', 'region', 'tags', 'tags_all', 'timeouts'];

/**
 * Reads what `cdktf synth` wrote.
 *
 * @param cdktfOut the folder with `manifest.json`, usually `cdktf.out`
 * @param deployedAtMs when it was deployed, epoch milliseconds
 * @throws {TerraformError} with every problem found: a missing file, an expression that isn't a plain
 *   reference, a resource type nobody knows, a field with the wrong type
 */
export function readSynthesized(
  cdktfOut: string,
  { deployedAtMs = Date.now() }: { readonly deployedAtMs?: number } = {},
): SynthesizedCloud {
  const deployedAt = new Date(deployedAtMs).toISOString();
  const problems: string[] = [];
  const blocks: ResolvedBlock[] = [];
  const outputs: Record<string, Json> = {};
  const directories = new Map<string, string>();
  const notRunLocally: string[] = [];
  for (const { stack, file } of listStacks(cdktfOut)) {
    const document = readJson(file);
    const region = regionOf(stack, document, problems);
    const place = { account: LOCAL_ACCOUNT, region, partition: partitionOf(region).name, deployedAt };
    const resolved = resolveStack(stack, document, place, problems);
    blocks.push(...resolved.blocks);
    for (const [name, value] of Object.entries(resolved.outputs)) outputs[`${stack}.${name}`] = value;
    directories.set(stack, dirname(file));
    notRunLocally.push(...modulesWithoutEffect(stack, document, dirname(file), problems));
  }

  const tables: TableResource[] = [];
  const existingTables: ExistingTable[] = [];
  const functions: FunctionResource[] = [];
  const stateMachines: StateMachineResource[] = [];
  const schedules: ScheduleResource[] = [];
  const alarms: AlarmResource[] = [];
  const mappings: EventSourceMappingResource[] = [];
  const buckets: string[] = [];
  for (const block of blocks) {
    notRunLocally.push(...conditionsOf(block));
    if (block.kind === 'data') {
      if (block.type === 'aws_dynamodb_table') existingTables.push(readExistingTable(block, problems));
    } else if (block.type === 'aws_dynamodb_table') {
      tables.push(readTable(block, problems));
    } else if (block.type === 'aws_lambda_function') {
      functions.push(readFunction(block, directories.get(block.stack) ?? cdktfOut, problems));
    } else if (block.type === 'aws_sfn_state_machine') {
      stateMachines.push(readStateMachine(block, problems));
    } else if (block.type === 'aws_scheduler_schedule') {
      schedules.push(readSchedule(block, problems));
    } else if (block.type === 'aws_cloudwatch_metric_alarm') {
      const arn = arnOf(block, 'cloudwatch', `alarm:${block.body['alarm_name']}`);
      alarms.push(readMetricAlarm(block, arn, problems));
    } else if (block.type === 'aws_lambda_event_source_mapping') {
      mappings.push(readEventSourceMapping(block, problems));
    } else if (block.type === 'aws_s3_bucket') {
      buckets.push(readBucket(block, problems));
    } else if (NOT_RUN_LOCALLY.has(block.type)) {
      notRunLocally.push(block.address);
    } else {
      problems.push(
        `${block.stack}: ${block.address}: the local runner doesn't know the resource type ${block.type}; if a local run ` +
          "doesn't depend on it, add it to NOT_RUN_LOCALLY in local/terraform.ts",
      );
    }
  }
  refuseDuplicates('table', [...tables, ...existingTables], problems);
  refuseDuplicates('function', functions, problems);
  refuseDuplicates('state machine', stateMachines, problems);
  refuseDuplicates('alarm', alarms, problems);
  for (const mapping of mappings) checkMapping(mapping, { tables, existingTables, functions }, problems);
  problems.push(...partiqlNameProblems(stateMachines));
  if (problems.length > 0) throw new TerraformError(problems);
  return {
    account: LOCAL_ACCOUNT,
    tables,
    existingTables,
    functions,
    stateMachines,
    schedules,
    alarms,
    mappings,
    buckets,
    notRunLocally,
    outputs,
    blocks,
  };
}

/** Conditions that Terraform checks at an apply, and nobody here. */
function conditionsOf({ address, body }: ResolvedBlock): string[] {
  const { lifecycle } = body;
  if (!isObject(lifecycle)) return [];
  return ['precondition', 'postcondition']
    .filter(kind => lifecycle[kind] !== undefined)
    .map(kind => `${address}.lifecycle.${kind}`);
}

function listStacks(cdktfOut: string): { stack: string; file: string }[] {
  const manifestFile = join(cdktfOut, 'manifest.json');
  if (!existsSync(manifestFile)) {
    throw new TerraformError([
      `${manifestFile}: no such file; synthesize first, or pass the folder that was written`,
    ]);
  }
  const manifest = readJson(manifestFile);
  const stacks = isObject(manifest) ? manifest['stacks'] : undefined;
  if (!isObject(stacks) || Object.keys(stacks).length === 0) {
    throw new TerraformError([
      `${manifestFile}: stacks: expected at least one stack, got ${describe(stacks)}; synthesize again`,
    ]);
  }
  return Object.entries(stacks).map(([stack, entry]) => {
    const path = isObject(entry) ? entry['synthesizedStackPath'] : undefined;
    return {
      stack,
      file: resolve(cdktfOut, typeof path === 'string' ? path : `stacks/${stack}/cdk.tf.json`),
    };
  });
}

function readJson(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new TerraformError([`${file}: can't be read (${message(error)}); synthesize again`]);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new TerraformError([`${file}: isn't JSON (${message(error)}); synthesize again`]);
  }
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function regionOf(stack: string, document: unknown, problems: string[]): string {
  const providers = isObject(document) && isObject(document['provider']) ? document['provider']['aws'] : [];
  const list = Array.isArray(providers) ? providers : [providers];
  const unaliased = list.find(item => isObject(item) && item['alias'] === undefined);
  const region = isObject(unaliased) ? unaliased['region'] : undefined;
  if (region === undefined) return DEFAULT_REGION;
  if (typeof region === 'string' && REGION.test(region)) return region;
  problems.push(
    `${stack}: provider.aws.region: expected an AWS region such as "us-east-1", got ${describe(region)}`,
  );
  return DEFAULT_REGION;
}

function refuseDuplicates(
  what: string,
  resources: readonly { address: string; name: string }[],
  problems: string[],
): void {
  const seen = new Map<string, string>();
  for (const { name, address } of resources) {
    const other = seen.get(name);
    if (other !== undefined && name !== '' && other !== address) {
      problems.push(
        `${address}: expected a ${what} name of its own, got "${name}", which ${other} has too; locally all stacks and regions share one namespace`,
      );
    }
    seen.set(name, address);
  }
}

function arnOf(block: ResolvedBlock, service: string, resource: string): string {
  const { partition, region, account } = block.place;
  return `arn:${partition}:${service}:${region}:${account}:${resource}`;
}

function readExistingTable(block: ResolvedBlock, problems: string[]): ExistingTable {
  const fields = Fields.of(block, problems);
  const name = fields.string('name');
  fields.done(META);
  return { address: block.address, name, region: block.place.region };
}

function readBucket(block: ResolvedBlock, problems: string[]): string {
  const fields = Fields.of(block, problems);
  const prefix = fields.optionalString('bucket_prefix');
  const name = fields.optionalString('bucket') ?? (prefix === undefined ? undefined : `${prefix}local`);
  if (name === undefined) fields.problem('bucket', 'bucket or bucket_prefix', name);
  fields.done([...META, 'force_destroy', 'object_lock_enabled']);
  return name ?? '';
}

/** What a mapping is between: a table with a stream and a function, both of the synthesis. */
function checkMapping(
  { address, tableName, functionName }: EventSourceMappingResource,
  { tables, existingTables, functions }: Pick<SynthesizedCloud, 'tables' | 'existingTables' | 'functions'>,
  problems: string[],
): void {
  const known = functions.map(({ name }) => name).join(', ') || 'none';
  if (
    functionName !== '' &&
    !functions.some(({ arn, name }) => arn === functionName || name === functionName)
  ) {
    problems.push(
      `${address}.function_name: expected a function of the same synthesis (${known}), got "${functionName}"`,
    );
  }
  const made = tables.find(({ name }) => name === tableName);
  if (made !== undefined && made.stream === undefined) {
    problems.push(
      `${address}.event_source_arn: expected a table with a stream, got ${made.address}, which has stream_enabled = false`,
    );
  }
  if (tableName !== '' && made === undefined && !existingTables.some(({ name }) => name === tableName)) {
    const names = [...tables, ...existingTables].map(({ name }) => name).join(', ') || 'none';
    problems.push(
      `${address}.event_source_arn: expected the stream of a table of the same synthesis (${names}), got that of "${tableName}"`,
    );
  }
}

function readTable(block: ResolvedBlock, problems: string[]): TableResource {
  const fields = Fields.of(block, problems);
  const name = fields.string('name');
  const hashKey = fields.string('hash_key');
  const rangeKey = fields.optionalString('range_key');
  const attributes: Record<string, KeyType> = {};
  for (const attribute of fields.blocks('attribute')) {
    attributes[attribute.string('name')] = attribute.oneOf('type', ['S', 'N', 'B']);
    attribute.done();
  }
  const globalIndexes = fields.blocks('global_secondary_index').map(readIndex);
  const localIndexes = fields
    .blocks('local_secondary_index')
    .map(index => readIndex(index))
    .map(index => ({ ...index, hashKey }));
  const ttl = fields.block('ttl');
  const nativeTtlAttribute = ttl?.optionalString('attribute_name');
  const ttlEnabled = ttl?.boolean('enabled', true) ?? false;
  ttl?.done();
  const stream = fields.boolean('stream_enabled', false)
    ? fields.oneOf('stream_view_type', ['NEW_AND_OLD_IMAGES', 'OLD_IMAGE', 'NEW_IMAGE', 'KEYS_ONLY'])
    : undefined;
  for (const key of [
    hashKey,
    rangeKey,
    ...[...globalIndexes, ...localIndexes].flatMap(i => [i.hashKey, i.rangeKey]),
  ]) {
    if (key && !(key in attributes))
      fields.problem('attribute', `an attribute block for the key "${key}"`, attributes);
  }
  fields.done([
    ...META,
    'billing_mode',
    'deletion_protection_enabled',
    'on_demand_throughput',
    'point_in_time_recovery',
    'read_capacity',
    'replica',
    'server_side_encryption',
    'stream_view_type',
    'table_class',
    'warm_throughput',
    'write_capacity',
  ]);
  return {
    address: block.address,
    name,
    arn: arnOf(block, 'dynamodb', `table/${name}`),
    region: block.place.region,
    hashKey,
    ...(rangeKey ? { rangeKey } : {}),
    attributes,
    globalIndexes,
    localIndexes,
    ...(ttlEnabled && nativeTtlAttribute ? { nativeTtlAttribute } : {}),
    ...(stream ? { stream } : {}),
  };
}

function readIndex(fields: Fields): TableIndex {
  const name = fields.string('name');
  // A local index takes the table's hash key; the caller fills it in.
  const hashKey = fields.optionalString('hash_key') ?? '';
  const rangeKey = fields.optionalString('range_key');
  const projection = fields.oneOf('projection_type', ['ALL', 'KEYS_ONLY', 'INCLUDE']);
  const nonKeyAttributes = fields.stringList('non_key_attributes');
  fields.done(['read_capacity', 'write_capacity', 'on_demand_throughput', 'warm_throughput']);
  return { name, hashKey, ...(rangeKey ? { rangeKey } : {}), projection, nonKeyAttributes };
}

function readFunction(block: ResolvedBlock, stackDirectory: string, problems: string[]): FunctionResource {
  const fields = Fields.of(block, problems);
  const name = fields.string('function_name');
  const filename = fields.string('filename');
  const archive = resolve(stackDirectory, filename);
  if (filename !== '' && !existsSync(archive))
    fields.problem('filename', 'a zip file in the stack folder', filename);
  const handler = fields.string('handler');
  if (handler !== '' && !/^[\w/-]+\.\w+$/.test(handler))
    fields.problem('handler', '"<file>.<export>", such as "index.handler"', handler);
  const runtime = fields.string('runtime');
  if (runtime !== '' && !/^nodejs\d+\.x$/.test(runtime)) {
    fields.problem('runtime', 'a Node.js runtime such as "nodejs24.x" (the only kind run locally)', runtime);
  }
  // Lambda's own defaults: 128 MB, 3 s.
  const memoryMb = fields.optionalNumber('memory_size') ?? 128;
  const timeoutSeconds = fields.optionalNumber('timeout') ?? 3;
  if (!(timeoutSeconds >= 1 && timeoutSeconds <= 900))
    fields.problem('timeout', '1 to 900 seconds', timeoutSeconds);
  const environment = fields.block('environment');
  const variables = environment?.stringMap('variables') ?? {};
  environment?.done();
  const reserved = fields.optionalNumber('reserved_concurrent_executions');
  const logging = fields.block('logging_config');
  const logFormat = logging?.oneOf('log_format', ['Text', 'JSON']) ?? 'Text';
  logging?.done(['log_group', 'application_log_level', 'system_log_level']);
  fields.done([
    ...META,
    'architectures',
    'dead_letter_config',
    'description',
    'ephemeral_storage',
    'kms_key_arn',
    'package_type',
    'publish',
    'role',
    'skip_destroy',
    'source_code_hash',
    'tracing_config',
    // Nothing here is in a VPC.
    'vpc_config',
  ]);
  return {
    address: block.address,
    name,
    arn: arnOf(block, 'lambda', `function:${name}`),
    region: block.place.region,
    archive,
    handler,
    memoryMb,
    timeoutSeconds,
    environment: variables,
    logFormat,
    // -1 is Terraform's "no reservation".
    ...(reserved !== undefined && reserved >= 0 ? { reservedConcurrency: reserved } : {}),
  };
}

function readStateMachine(block: ResolvedBlock, problems: string[]): StateMachineResource {
  const fields = Fields.of(block, problems);
  const name = fields.string('name');
  const definition = fields.string('definition');
  const roleArn = fields.string('role_arn');
  const type = fields.oneOf('type', ['STANDARD', 'EXPRESS']);
  fields.done([
    ...META,
    'encryption_configuration',
    'logging_configuration',
    'publish',
    'tracing_configuration',
  ]);
  return {
    address: block.address,
    name,
    arn: arnOf(block, 'states', `stateMachine:${name}`),
    region: block.place.region,
    roleArn,
    type,
    definition,
  };
}

function readSchedule(block: ResolvedBlock, problems: string[]): ScheduleResource {
  const fields = Fields.of(block, problems);
  const name = fields.string('name');
  const group = fields.optionalString('group_name') ?? 'default';
  const expression = fields.string('schedule_expression');
  const timezone = fields.optionalString('schedule_expression_timezone') ?? 'UTC';
  const enabled = fields.oneOf('state', ['ENABLED', 'DISABLED']) === 'ENABLED';
  // A flexible window would fire at a random time inside it; nothing here asks for one.
  const flexible = fields.block('flexible_time_window');
  flexible?.oneOf('mode', ['OFF']);
  flexible?.done();
  const target = fields.block('target');
  if (target === undefined) fields.problem('target', 'a target block', undefined);
  const targetArn = target?.string('arn') ?? '';
  const roleArn = target?.string('role_arn') ?? '';
  const input = target?.optionalString('input');
  const startDate = readDate(fields, 'start_date');
  const endDate = readDate(fields, 'end_date');
  const asGiven = readAsGiven(fields, target);
  target?.done();
  fields.done(META);
  return {
    address: block.address,
    name,
    arn: arnOf(block, 'scheduler', `schedule/${group}/${name}`),
    expression,
    timezone,
    enabled,
    targetArn,
    roleArn,
    ...(input === undefined ? {} : { input }),
    ...(startDate === undefined ? {} : { startDate }),
    ...(endDate === undefined ? {} : { endDate }),
    asGiven,
  };
}

function readDate(fields: Fields, field: string): number | undefined {
  const text = fields.optionalString(field);
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time)) fields.problem(field, 'a time in ISO-8601 with a zone', text);
  return time;
}

/** Locally a start that fails is reported at once instead of being tried again and parked. */
function readAsGiven(fields: Fields, target: Fields | undefined): ScheduleAsGiven {
  const policy = target?.block('retry_policy');
  const age = policy?.optionalNumber('maximum_event_age_in_seconds');
  const attempts = policy?.optionalNumber('maximum_retry_attempts');
  policy?.done();
  const deadLetters = target?.block('dead_letter_config');
  const queue = deadLetters?.optionalString('arn');
  deadLetters?.done();
  const description = fields.optionalString('description');
  const key = fields.optionalString('kms_key_arn');
  const action = fields.optionalString('action_after_completion');
  return {
    ...(description !== undefined && { Description: description }),
    ...(key !== undefined && { KmsKeyArn: key }),
    ...(action !== undefined && { ActionAfterCompletion: action }),
    ...(queue !== undefined && { DeadLetterConfig: { Arn: queue } }),
    ...(policy !== undefined && {
      RetryPolicy: {
        ...(age !== undefined && { MaximumEventAgeInSeconds: age }),
        ...(attempts !== undefined && { MaximumRetryAttempts: attempts }),
      },
    }),
  };
}
