import type { FieldProblem } from '../../expiry/errors.ts';
import {
  boolean,
  fieldProblems,
  isObject,
  type Kind,
  type Kinds,
  kind,
  oneOf,
  text,
  under,
  type ValueOf,
  whole,
} from '../../expiry/fields.ts';
import { readFilter } from '../streams/filter.ts';
import type { ResolvedBlock } from './resolve.ts';

/** The arguments of a resource, or of a block in one. */
interface Arguments {
  readonly always: Kinds;
  readonly sometimes?: Kinds;
  /** Nothing on this machine depends on them. */
  readonly withoutEffect?: readonly string[];
}

type ValuesOf<Known extends Arguments> = {
  readonly [Name in keyof Known['always']]: ValueOf<Known['always'][Name]>;
} & { readonly [Name in keyof Known['sometimes']]?: ValueOf<NonNullable<Known['sometimes']>[Name]> };

/** Blocks within a resource: CDKTF writes one as an object or as a list. */
type OneOrMore<Value> = Value | readonly Value[];

export function listOf<Value>(value: OneOrMore<Value> | undefined): readonly Value[] {
  return value === undefined ? [] : ([value].flat() as Value[]);
}

function blocks<const Known extends Arguments>(known: Known): Kind<OneOrMore<ValuesOf<Known>>> {
  return kind(value => [value].flat().every(isObject), 'a block, or a list of them', {
    inside: value =>
      listOf(value).flatMap((block, index, all) =>
        under(all.length > 1 ? `[${index}]` : '', argumentProblems(known, block)),
      ),
  });
}

const TEXT = text(/^/, 'a text');
const TEXTS = kind<readonly string[]>(
  value => Array.isArray(value) && value.every(TEXT.is),
  'a list of texts',
);
const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);
const MAP = kind<Readonly<Record<string, string | number | boolean>>>(
  value => isObject(value) && Object.values(value).every(isPlain),
  'texts by their names',
);

const TIME = text(/^\d{4}-.+(Z|[+-]\d\d:\d\d)$/, 'a time in ISO-8601 with a zone');

const THROUGHPUT = ['read_capacity', 'write_capacity', 'on_demand_throughput', 'warm_throughput'];
const INDEX = {
  always: { name: text(), projection_type: oneOf(['ALL', 'KEYS_ONLY', 'INCLUDE']) },
  sometimes: { hash_key: text(), range_key: text(), non_key_attributes: TEXTS },
  withoutEffect: THROUGHPUT,
} as const;

export const COMPARISONS = [
  'GreaterThanThreshold',
  'GreaterThanOrEqualToThreshold',
  'LessThanThreshold',
  'LessThanOrEqualToThreshold',
] as const;
export const MISSING_DATA = ['missing', 'breaching', 'notBreaching', 'ignore'] as const;

/** Metrics have one datapoint a minute here. */
const PERIOD = kind<number>(
  value => Number(value) >= 60 && Number(value) % 60 === 0,
  'a multiple of 60 seconds',
);
const STATISTIC = oneOf(['SampleCount', 'Average', 'Sum', 'Minimum', 'Maximum']);
/** The local CloudWatch computes no other statistics of that kind. */
const PERCENTILE = text(/^p(100|\d{1,2}(\.\d{1,10})?)$/, 'a percentile such as p99');
const METRIC = {
  namespace: text(),
  metric_name: text(),
  period: PERIOD,
} as const;

/** Lambda takes -1 for no limit. */
const orNone = (known: Kind<number>) =>
  kind<number>(value => value === -1 || known.is(value), `-1 or ${known.expected}`);

const QUEUE_ARN = /^arn:[^:]+:sqs:[^:]+:\d{12}:[A-Za-z0-9_-]{1,80}$/;
export const STREAM_ARN = /^arn:[^:]+:dynamodb:[^:]+:\d{12}:table\/([A-Za-z0-9_.-]{3,255})\/stream\/.+$/;

function errorOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const FILTER = kind<string>(
  value => errorOf(() => readFilter(String(value))) === undefined,
  'a filter that is run on this machine',
  { remedy: value => errorOf(() => readFilter(String(value))) ?? '' },
);

/** What is run on this machine, by the types of resources. The rest of a stack has no effect here. */
const RUN = {
  aws_dynamodb_table: {
    always: { name: text(), hash_key: text() },
    sometimes: {
      range_key: text(),
      attribute: blocks({ always: { name: text(), type: oneOf(['S', 'N', 'B']) } }),
      global_secondary_index: blocks(INDEX),
      local_secondary_index: blocks(INDEX),
      ttl: blocks({ always: {}, sometimes: { attribute_name: TEXT, enabled: boolean() } }),
      stream_enabled: boolean(),
      stream_view_type: oneOf(['NEW_AND_OLD_IMAGES', 'OLD_IMAGE', 'NEW_IMAGE', 'KEYS_ONLY']),
    },
    withoutEffect: [
      ...THROUGHPUT,
      'billing_mode',
      'deletion_protection_enabled',
      'point_in_time_recovery',
      'replica',
      'server_side_encryption',
      'table_class',
    ],
  },
  aws_lambda_function: {
    always: {
      function_name: text(),
      filename: text(),
      handler: text(/^[\w/-]+\.\w+$/, '"<file>.<export>", such as "index.handler"'),
      runtime: text(/^nodejs\d+\.x$/, 'a Node.js runtime such as "nodejs24.x" (the only kind run locally)'),
      memory_size: whole(128, 10_240),
      timeout: whole(1, 900, 'a whole number of seconds'),
    },
    sometimes: {
      environment: blocks({ always: {}, sometimes: { variables: MAP } }),
      logging_config: blocks({
        always: { log_format: oneOf(['Text', 'JSON']) },
        withoutEffect: ['log_group', 'application_log_level', 'system_log_level'],
      }),
      reserved_concurrent_executions: whole(-1, 1_000_000),
    },
    // Nothing here is in a VPC.
    withoutEffect: [
      'architectures',
      'dead_letter_config',
      'description',
      'ephemeral_storage',
      'kms_key_arn',
      'publish',
      'role',
      'skip_destroy',
      'source_code_hash',
      'tracing_config',
      'vpc_config',
    ],
  },
  aws_sfn_state_machine: {
    always: { name: text(), definition: text(), role_arn: text(), type: oneOf(['STANDARD', 'EXPRESS']) },
    withoutEffect: ['encryption_configuration', 'logging_configuration', 'publish', 'tracing_configuration'],
  },
  aws_scheduler_schedule: {
    always: {
      name: text(),
      group_name: text(),
      schedule_expression: text(),
      state: oneOf(['ENABLED', 'DISABLED']),
      // Any other would fire at a random time.
      flexible_time_window: blocks({ always: { mode: oneOf(['OFF']) } }),
      target: blocks({
        always: { arn: text(), role_arn: text() },
        sometimes: {
          input: TEXT,
          dead_letter_config: blocks({ always: { arn: text() } }),
          retry_policy: blocks({
            always: {},
            sometimes: {
              maximum_event_age_in_seconds: whole(60, 86_400),
              maximum_retry_attempts: whole(0, 185),
            },
          }),
        },
      }),
    },
    sometimes: {
      schedule_expression_timezone: text(),
      start_date: TIME,
      end_date: TIME,
      description: TEXT,
      kms_key_arn: text(),
      action_after_completion: text(),
    },
  },
  aws_cloudwatch_metric_alarm: {
    always: {
      alarm_name: text(),
      comparison_operator: oneOf(COMPARISONS),
      evaluation_periods: whole(1, 1_000),
      threshold: kind<number>(Number.isFinite, 'a number'),
    },
    sometimes: {
      ...METRIC,
      dimensions: MAP,
      statistic: STATISTIC,
      extended_statistic: PERCENTILE,
      metric_query: blocks({
        always: { id: text() },
        sometimes: {
          expression: text(),
          return_data: boolean(),
          metric: blocks({
            always: {
              ...METRIC,
              stat: kind<string>(
                value => STATISTIC.is(value) || PERCENTILE.is(value),
                `${STATISTIC.expected}, or ${PERCENTILE.expected}`,
              ),
            },
            sometimes: { dimensions: MAP },
            withoutEffect: ['unit'],
          }),
        },
        withoutEffect: ['label'],
      }),
      alarm_description: TEXT,
      datapoints_to_alarm: whole(1, 1_000),
      treat_missing_data: oneOf(MISSING_DATA),
      alarm_actions: TEXTS,
      ok_actions: TEXTS,
    },
    // Without an action nobody is told locally either way; the line in the terminal is for the state.
    withoutEffect: [
      'actions_enabled',
      'evaluate_low_sample_count_percentiles',
      'insufficient_data_actions',
      'unit',
    ],
  },
  aws_lambda_event_source_mapping: {
    always: {
      event_source_arn: text(
        STREAM_ARN,
        'the ARN of a DynamoDB stream, the only source that is read locally',
      ),
      function_name: text(),
      starting_position: oneOf(['TRIM_HORIZON', 'LATEST']),
      batch_size: whole(1, 10_000),
    },
    sometimes: {
      enabled: boolean(),
      maximum_batching_window_in_seconds: whole(0, 300),
      maximum_record_age_in_seconds: orNone(whole(60, 604_800)),
      maximum_retry_attempts: orNone(whole(0, 10_000)),
      bisect_batch_on_function_error: boolean(),
      function_response_types: kind<readonly string[]>(
        value => Array.isArray(value) && value.every(type => type === 'ReportBatchItemFailures'),
        '["ReportBatchItemFailures"] or none',
      ),
      filter_criteria: blocks({
        always: {},
        sometimes: { filter: blocks({ always: { pattern: FILTER } }) },
      }),
      destination_config: blocks({
        always: {
          on_failure: blocks({
            always: { destination_arn: text(QUEUE_ARN, 'the ARN of a standard SQS queue') },
          }),
        },
      }),
    },
    // Terraform asks for several metrics of a mapping; locally there is IteratorAge, which is the function's.
    withoutEffect: ['metrics_config'],
  },
  aws_s3_bucket: {
    always: { bucket_prefix: text() },
    withoutEffect: ['force_destroy', 'object_lock_enabled'],
  },
} as const satisfies Readonly<Record<string, Arguments>>;

export type RunType = keyof typeof RUN;
export type ArgumentsOf<Type extends RunType> = ValuesOf<(typeof RUN)[Type]>;

/** A resource that is run, without its arguments. */
export interface Found {
  readonly address: string;
  readonly region: string;
  /** An attribute that AWS gives it. */
  readonly attribute: (name: string) => string;
}

/** Arguments that all resources have. */
const ANYWHERE = ['tags', 'timeouts'];

/** What of a resource would be run otherwise than on AWS. */
export function blockProblems({ kind: of, type, address, body }: ResolvedBlock): FieldProblem[] {
  const known = of === 'resource' ? (RUN as Readonly<Record<string, Arguments>>)[type] : undefined;
  return known === undefined ? [] : under(address, argumentProblems(known, body));
}

const CORRECT = 'Correct it in overrides of the configuration.';

function argumentProblems(
  { always, sometimes = {}, withoutEffect = [] }: Arguments,
  body: object,
): FieldProblem[] {
  const known = { ...always, ...sometimes };
  const others = Object.entries(body).filter(
    ([argument]) => !(argument in known) && ![...withoutEffect, ...ANYWHERE].includes(argument),
  );
  return [
    ...others.map(([field, got]) => ({
      field,
      expected: 'no argument that does something on AWS and nothing on this machine',
      got,
      remedy: 'Leave it out of overrides of the configuration for runs on this machine.',
    })),
    ...fieldProblems(known, body, { required: Object.keys(always), remedy: CORRECT }),
  ];
}
