import { describeProblem, type FieldProblem } from '../../expiry/errors.ts';
import { mapValues } from '../../stacks/map-values.ts';
import type { PlainStack } from '../../stacks/plain-stack.ts';
import { partitionOf } from '../../stacks/regions.ts';
import { TerraformError } from '../errors.ts';
import { type ArgumentsOf, blockProblems, type Found, listOf, type RunType } from './arguments.ts';
import { type EventSourceMappingResource, toMapping } from './event-source-mapping.ts';
import { type AlarmResource, toAlarm } from './metric-alarm.ts';
import { partiqlNameProblems } from './partiql-names.ts';
import { type ResolvedBlock, resolveReferences } from './resolve.ts';

/** The account of every ARN in the local cloud: the one AWS uses in its examples. */
export const LOCAL_ACCOUNT = '123456789012';

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

/** Everything that the local cloud needs of a stack, with all references resolved. */
export interface SynthesizedCloud {
  readonly account: string;
  readonly region: string;
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
  readonly outputs: Readonly<Record<string, unknown>>;
  /** Every resource and data source with its references resolved: what policies grant, for example. */
  readonly blocks: readonly ResolvedBlock[];
}

/**
 * A stack as it is run on this machine.
 *
 * @param deployedAtMs when it was deployed, epoch milliseconds
 * @throws {TerraformError} for what only an override can bring: a value that cannot be run here, or none that is known before an apply
 */
export function synthesizedCloud(
  stack: PlainStack,
  { deployedAtMs = Date.now() }: { readonly deployedAtMs?: number } = {},
): SynthesizedCloud {
  const { region, archives } = stack;
  const { name: partition, dnsSuffix } = partitionOf(region);
  const deployedAt = new Date(deployedAtMs).toISOString();
  const place = { account: LOCAL_ACCOUNT, region, partition, dnsSuffix, deployedAt };
  const problems: FieldProblem[] = [];
  const { blocks, outputs, attribute } = resolveReferences(stack, place, problems);
  problems.push(...blocks.flatMap(blockProblems));
  if (problems.length > 0) throw new TerraformError(problems.map(describeProblem));

  const all = <Type extends RunType, Read>(
    type: Type,
    read: (found: Found, args: ArgumentsOf<Type>) => Read,
  ): Read[] =>
    blocks
      .filter(block => block.kind === 'resource' && block.type === type)
      .map(block => {
        const found = { address: block.address, region, attribute: (name: string) => attribute(block, name) };
        return read(found, block.body as ArgumentsOf<Type>);
      });
  const stateMachines = all('aws_sfn_state_machine', toStateMachine);
  const unrunnable = partiqlNameProblems(stateMachines);
  if (unrunnable.length > 0) throw new TerraformError(unrunnable);
  return {
    account: LOCAL_ACCOUNT,
    region,
    tables: all('aws_dynamodb_table', toTable),
    existingTables: blocks
      .filter(({ kind, type }) => kind === 'data' && type === 'aws_dynamodb_table')
      .map(({ address, body }) => ({ address, name: String(body['name']), region })),
    functions: all('aws_lambda_function', (found, args) => toFunction(found, args, archives)),
    stateMachines,
    schedules: all('aws_scheduler_schedule', toSchedule),
    alarms: all('aws_cloudwatch_metric_alarm', toAlarm),
    mappings: all('aws_lambda_event_source_mapping', toMapping),
    buckets: all('aws_s3_bucket', ({ attribute: given }) => given('id')),
    outputs,
    blocks,
  };
}

function toTable(
  { address, region, attribute }: Found,
  args: ArgumentsOf<'aws_dynamodb_table'>,
): TableResource {
  const { name, hash_key: hashKey, range_key: rangeKey, stream_view_type: stream } = args;
  const [ttl] = listOf(args.ttl);
  const nativeTtlAttribute = ttl?.enabled === false ? undefined : ttl?.attribute_name;
  const indexes = (given: typeof args.global_secondary_index): TableIndex[] =>
    listOf(given).map(index => ({
      name: index.name,
      // A local index has that of the table.
      hashKey: index.hash_key ?? hashKey,
      ...(index.range_key !== undefined && { rangeKey: index.range_key }),
      projection: index.projection_type,
      nonKeyAttributes: index.non_key_attributes ?? [],
    }));
  return {
    address,
    name,
    arn: attribute('arn'),
    region,
    hashKey,
    ...(rangeKey !== undefined && { rangeKey }),
    attributes: Object.fromEntries(listOf(args.attribute).map(({ name: key, type }) => [key, type])),
    globalIndexes: indexes(args.global_secondary_index),
    localIndexes: indexes(args.local_secondary_index),
    ...(nativeTtlAttribute !== undefined && { nativeTtlAttribute }),
    ...(args.stream_enabled && { stream: stream ?? 'NEW_AND_OLD_IMAGES' }),
  };
}

function toFunction(
  { address, region, attribute }: Found,
  args: ArgumentsOf<'aws_lambda_function'>,
  archives: PlainStack['archives'],
): FunctionResource {
  const [environment] = listOf(args.environment);
  const [logging] = listOf(args.logging_config);
  const reserved = args.reserved_concurrent_executions ?? NO_RESERVATION;
  return {
    address,
    name: args.function_name,
    arn: attribute('arn'),
    region,
    archive: archives[args.filename] ?? args.filename,
    handler: args.handler,
    memoryMb: args.memory_size,
    timeoutSeconds: args.timeout,
    environment: mapValues(environment?.variables ?? {}, String),
    logFormat: logging?.log_format ?? 'Text',
    ...(reserved !== NO_RESERVATION && { reservedConcurrency: reserved }),
  };
}

/** Terraform's word for it. */
const NO_RESERVATION = -1;

function toStateMachine(
  { address, region, attribute }: Found,
  { name, role_arn: roleArn, type, definition }: ArgumentsOf<'aws_sfn_state_machine'>,
): StateMachineResource {
  return { address, name, arn: attribute('arn'), region, roleArn, type, definition };
}

function toSchedule(
  { address, attribute }: Found,
  args: ArgumentsOf<'aws_scheduler_schedule'>,
): ScheduleResource {
  const [target] = listOf(args.target);
  const { name, start_date: start, end_date: end, description, kms_key_arn: key } = args;
  const { action_after_completion: action } = args;
  const [queue] = listOf(target?.dead_letter_config);
  const [policy] = listOf(target?.retry_policy);
  const { maximum_event_age_in_seconds: age, maximum_retry_attempts: attempts } = policy ?? {};
  return {
    address,
    name,
    arn: attribute('arn'),
    expression: args.schedule_expression,
    timezone: args.schedule_expression_timezone ?? 'UTC',
    enabled: args.state === 'ENABLED',
    targetArn: target?.arn ?? '',
    roleArn: target?.role_arn ?? '',
    ...(target?.input !== undefined && { input: target.input }),
    ...(start !== undefined && { startDate: Date.parse(start) }),
    ...(end !== undefined && { endDate: Date.parse(end) }),
    // Locally a start that fails is reported at once instead of being tried again and parked.
    asGiven: {
      ...(description !== undefined && { Description: description }),
      ...(key !== undefined && { KmsKeyArn: key }),
      ...(action !== undefined && { ActionAfterCompletion: action }),
      ...(queue !== undefined && { DeadLetterConfig: { Arn: queue.arn } }),
      ...(policy !== undefined && {
        RetryPolicy: {
          ...(age !== undefined && { MaximumEventAgeInSeconds: age }),
          ...(attempts !== undefined && { MaximumRetryAttempts: attempts }),
        },
      }),
    },
  };
}
