import { boolean, kind, oneOf, text, whole } from '../../expiry/fields.ts';
import { type PlainStack, plainStack } from '../../stacks/app.ts';
import type { DeploymentConfig } from '../../stacks/config/config.ts';
import { EVERY_MINUTE, tablesInDefinition } from '../../stacks/config/deployments.ts';
import type { TableIndex, TableResource } from '../dynamodb/tables.ts';
import { TerraformError } from '../errors.ts';
import { enrichmentInput, type PipeResource } from '../pipes/pipes.ts';
import { SCHEDULED_TIME, type ScheduleResource } from '../schedules.ts';
import { Arguments, type Found, TEXT, TEXTS } from './arguments.ts';
import { partitionOf, resolveReferences } from './resolve.ts';

/** The account in every ARN of the local cloud: the account of AWS's examples. */
export const LOCAL_ACCOUNT = '123456789012';

/** Settings with the attribute names in the PartiQL statement of a guarded delete. */
const SETTINGS = ['partitionKey', 'sortKey', 'ttlAttribute'];

/**
 * Finds attribute names with which DynamoDB Local 3.3 refuses guarded deletes: quoted PartiQL names that begin with `#` or `:`. AWS
 * documents no such rule.
 */
function partiqlNameProblems(stateMachines: readonly { readonly definition: string }[]): string[] {
  const problems = stateMachines
    .flatMap(({ definition }) => tablesInDefinition(definition))
    .filter(({ deleteMode }) => deleteMode === 'guarded')
    .flatMap(table =>
      SETTINGS.filter(setting => /^[#:]/.test(String(table[setting] ?? ''))).map(
        setting =>
          `table ${table.tableName}: ${setting}: expected a name that does not begin with # or :, got ` +
          `"${table[setting]}". DynamoDB Local, not DynamoDB, refuses guarded deletes with such a name. Name the attribute ` +
          "otherwise for the local run, or set deleteMode: 'batch' for it.",
      ),
    );
  return [...new Set(problems)];
}

export interface FunctionResource extends Found {
  readonly name: string;
  readonly archive: string;
  /** A file without its extension, and the name of its export, e.g. `index.handler`. */
  readonly handler: string;
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly reservedConcurrency?: number;
}

export interface StateMachineResource extends Found {
  readonly name: string;
  readonly roleArn: string;
  readonly type: 'STANDARD' | 'EXPRESS';
  readonly definition: string;
}

const throughput = (of: string) =>
  `${of}read_capacity ${of}write_capacity ${of}on_demand_throughput ${of}warm_throughput`;

/** Arguments without a local effect, by resource type. Resources of other types do not run in the local cloud. */
const WITHOUT_EFFECT = {
  aws_dynamodb_table: `billing_mode deletion_protection_enabled point_in_time_recovery replica server_side_encryption table_class ttl ${throughput('')} ${throughput('global_secondary_index.')} ${throughput('local_secondary_index.')}`,
  aws_lambda_function:
    'architectures dead_letter_config description ephemeral_storage kms_key_arn logging_config.application_log_level logging_config.log_format logging_config.log_group logging_config.system_log_level publish role skip_destroy source_code_hash tracing_config vpc_config',
  // In the local cloud no target of a pipe receives anything, and failed records are tried again until they succeed.
  aws_pipes_pipe: `description log_configuration role_arn target_parameters ${[
    'dead_letter_config',
    'maximum_batching_window_in_seconds',
    'maximum_record_age_in_seconds',
    'maximum_retry_attempts',
    'on_partial_batch_item_failure',
    'parallelization_factor',
  ]
    .map(name => `source_parameters.dynamodb_stream_parameters.${name}`)
    .join(' ')}`,
  // In the local cloud a failed start is only shown: the start is neither tried again nor sent to a queue.
  aws_scheduler_schedule:
    'action_after_completion description kms_key_arn schedule_expression_timezone target.dead_letter_config target.retry_policy',
  aws_sfn_state_machine: 'encryption_configuration logging_configuration publish tracing_configuration',
} as const;

export type SynthesizedCloud = ReturnType<typeof synthesizedCloud>;

export const RUN_TYPES: readonly string[] = Object.keys(WITHOUT_EFFECT);

/**
 * @param deployedAtMs time of the deployment, epoch milliseconds
 * @throws {TerraformError} for what cannot run on this computer, or what only Terraform can evaluate
 */
export function synthesizedCloud(
  stack: PlainStack,
  { deployedAtMs = Date.now() }: { readonly deployedAtMs?: number } = {},
) {
  const { region, archives } = stack;
  const partition = partitionOf(region);
  const deployedAt = new Date(deployedAtMs).toISOString();
  const place = { account: LOCAL_ACCOUNT, region, partition, deployedAt };
  const blocks = resolveReferences(stack, place);
  const all = <Resource>(
    type: keyof typeof WITHOUT_EFFECT,
    read: (args: Arguments, found: Found) => Resource,
  ): Resource[] =>
    blocks
      .filter(block => block.kind === 'resource' && block.type === type)
      .map(({ address, arn, body }) => {
        const args = new Arguments(address, body);
        const resource = read(args, { address, arn, region });
        args.end(WITHOUT_EFFECT[type]);
        return resource;
      });
  const stateMachines = all('aws_sfn_state_machine', readStateMachine);
  const problems = partiqlNameProblems(stateMachines);
  if (problems.length > 0) throw new TerraformError(problems);
  return {
    account: LOCAL_ACCOUNT,
    region,
    partition,
    tables: all('aws_dynamodb_table', readTable),
    functions: all('aws_lambda_function', (args, found) => readFunction(args, found, archives)),
    stateMachines,
    schedules: all('aws_scheduler_schedule', (args, found) => readSchedule(args, found, stateMachines)),
    pipes: all('aws_pipes_pipe', readPipe),
    blocks,
  };
}

function readTable(args: Arguments, found: Found): TableResource {
  const hashKey = args.get('hash_key', TEXT);
  const rangeKey = args.find('range_key', TEXT);
  const indexes = (of: string): TableIndex[] =>
    args.blocks(of).map(index => {
      const indexRangeKey = index.find('range_key', TEXT);
      return {
        name: index.get('name', TEXT),
        hashKey: index.find('hash_key', TEXT) ?? hashKey,
        ...(indexRangeKey !== undefined && { rangeKey: indexRangeKey }),
        projection: index.get('projection_type', oneOf(['ALL', 'KEYS_ONLY', 'INCLUDE'])),
        nonKeyAttributes: index.find('non_key_attributes', TEXTS) ?? [],
      };
    });
  const attributes = args
    .blocks('attribute')
    .map(attribute => [attribute.get('name', TEXT), attribute.get('type', oneOf(['S', 'N', 'B']))] as const);
  const view = args.find('stream_view_type', STREAM_VIEW) ?? 'NEW_AND_OLD_IMAGES';
  return {
    ...found,
    name: args.get('name', TEXT),
    hashKey,
    ...(rangeKey !== undefined && { rangeKey }),
    attributes: Object.fromEntries(attributes),
    globalIndexes: indexes('global_secondary_index'),
    localIndexes: indexes('local_secondary_index'),
    ...(args.find('stream_enabled', boolean()) && { stream: view }),
  };
}

const STREAM_VIEW = oneOf(['NEW_AND_OLD_IMAGES', 'OLD_IMAGE', 'NEW_IMAGE', 'KEYS_ONLY']);

function readFunction(args: Arguments, found: Found, archives: PlainStack['archives']): FunctionResource {
  const filename = args.get('filename', TEXT);
  args.get(
    'runtime',
    text(/^nodejs\d+\.x$/, 'a Node.js runtime such as "nodejs24.x" (the only kind run locally)'),
  );
  args.block('logging_config');
  // In Terraform, -1 means no reservation.
  const reserved = args.find('reserved_concurrent_executions', whole(-1, 1_000_000)) ?? -1;
  return {
    ...found,
    name: args.get('function_name', TEXT),
    archive: archives[filename] ?? filename,
    handler: args.get('handler', text(/^[\w/-]+\.\w+$/, '"<file>.<export>", such as "index.handler"')),
    memoryMb: args.get('memory_size', whole(128, 10_240)),
    timeoutSeconds: args.get('timeout', whole(1, 900, 'a whole number of seconds')),
    environment: args.block('environment')?.texts('variables') ?? {},
    ...(reserved >= 0 && { reservedConcurrency: reserved }),
  };
}

function readStateMachine(args: Arguments, found: Found): StateMachineResource {
  return {
    ...found,
    name: args.get('name', TEXT),
    roleArn: args.get('role_arn', TEXT),
    type: args.get('type', oneOf(['STANDARD', 'EXPRESS'])),
    definition: args.get('definition', TEXT),
  };
}

const EACH_MINUTE = kind<string>(
  value => value === EVERY_MINUTE,
  `${EVERY_MINUTE}, the only expression that is run locally`,
);

/** Refuses every placeholder except SCHEDULED_TIME. A placeholder with an escaped `<` is refused too: Scheduler would not find it. */
const SCHEDULED_INPUT = kind<string>(value => {
  const rest = String(value).replaceAll(SCHEDULED_TIME, '');
  try {
    JSON.parse(rest);
  } catch {
    return false;
  }
  return !/(<|\\u003c)aws\./i.test(rest);
}, `JSON with ${SCHEDULED_TIME} as written, the only placeholder that is replaced locally`);

function readSchedule(
  args: Arguments,
  { address, arn }: Found,
  stateMachines: readonly StateMachineResource[],
): ScheduleResource {
  args.get('group_name', TEXT);
  args.get('schedule_expression', EACH_MINUTE);
  // With the other mode, FLEXIBLE, EventBridge Scheduler fires at any time within a window of minutes.
  args.block('flexible_time_window')?.get('mode', oneOf(['OFF']));
  const machine = kind<string>(
    value => stateMachines.some(each => each.arn === value),
    'a state machine of the stack, the only target that is run locally',
  );
  const target = args.block('target');
  return {
    ...{ address, arn },
    name: args.get('name', TEXT),
    enabled: args.get('state', oneOf(['ENABLED', 'DISABLED'])) === 'ENABLED',
    targetArn: target?.get('arn', machine) ?? '',
    roleArn: target?.get('role_arn', TEXT) ?? '',
    input: target?.find('input', SCHEDULED_INPUT) ?? '{}',
  };
}

const STREAM_ARN = /^arn:[^:]+:dynamodb:[^:]+:\d{12}:table\/([A-Za-z0-9_.-]{3,255})\/stream\/.+$/;
const STREAM = text(STREAM_ARN, 'the ARN of a DynamoDB stream, the only source that is read locally');

const FILTER = kind<string>(
  value => value === '{"eventName":["REMOVE"]}',
  '{"eventName":["REMOVE"]}, the only filter that is run locally',
);

const TEMPLATE = kind<string>(value => {
  try {
    return enrichmentInput(String(value), [{}]).length > 0;
  } catch {
    return false;
  }
}, 'JSON with <aws.pipes.event.json> as the only variable');

function readPipe(args: Arguments, { address }: Found): PipeResource {
  const streamArn = args.get('source', STREAM);
  const source = args.block('source_parameters');
  const stream = source?.block('dynamodb_stream_parameters');
  for (const filter of source?.block('filter_criteria')?.blocks('filter') ?? [])
    filter.get('pattern', FILTER);
  const enrichment = args.block('enrichment_parameters');
  return {
    address,
    name: args.get('name', TEXT),
    tableName: STREAM_ARN.exec(streamArn)?.[1] ?? '',
    enrichmentArn: args.get('enrichment', TEXT),
    inputTemplate: enrichment?.get('input_template', TEMPLATE) ?? '',
    targetArn: args.get('target', TEXT),
    batchSize: stream?.get('batch_size', whole(1, 10_000)) ?? 1,
    startingPosition: stream?.get('starting_position', oneOf(['TRIM_HORIZON', 'LATEST'])) ?? 'LATEST',
  };
}

/** Returns a configuration's stack for the local cloud. Tables that exist only on AWS, with `existingTable: true`, are created too. */
export function localStack(config: DeploymentConfig): PlainStack {
  return plainStack({ ...config, tables: config.tables.map(table => ({ ...table, existingTable: false })) });
}
