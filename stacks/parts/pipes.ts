import type { CloudwatchLogGroup } from '@cdktf/provider-aws/lib/cloudwatch-log-group/index.js';
import { PipesPipe, type PipesPipeTargetParameters } from '@cdktf/provider-aws/lib/pipes-pipe/index.js';
import { Construct } from 'constructs';
import type { PipedRecord, TargetKind } from '../../functions/only-expiries/contract.ts';
import { beginningOf, pipeName } from '../config/names.ts';
import { type Pipe, pipesOf } from '../config/pipe-props.ts';
import { escaped } from '../config/terraform-text.ts';
import { Archive } from './archive.ts';
import type { Part } from './place.ts';
import { ServiceRole, senderKeyStatement, tableKeyStatements } from './role.ts';
import { logGroup, SweepFunction } from './sweep-function.ts';
import type { SweptTable } from './swept-table.ts';

interface Delivery {
  /** Maximum number of records in one request to the target. Source: EventBridge User Guide, "Pipes batching and concurrency". */
  readonly batchSize: number;
  readonly action: string;
  /** The pipe's parameters for the target. A value that begins with `$.` is a path into the event that OnlyExpiries makes. */
  readonly parameters?: PipesPipeTargetParameters;
  /** The KMS encryption context has the target's ARN under this name. Undefined: the pipe's role does not use the target's KMS key. */
  readonly key?: 'aws:sqs:arn' | 'aws:sns:topicArn' | 'aws:kinesis:arn';
}

export const DELIVERIES: Readonly<Record<TargetKind, Delivery>> = {
  archive: { batchSize: 100, action: 'firehose:PutRecordBatch' },
  bus: {
    batchSize: 10,
    action: 'events:PutEvents',
    parameters: {
      eventbridgeEventBusParameters: {
        source: 'precise-ttl',
        detailType: 'DynamoDB Item Expired',
        time: '$.deletedAt',
      },
    },
  },
  queue: {
    batchSize: 10,
    action: 'sqs:SendMessage',
    key: 'aws:sqs:arn',
  },
  fifoQueue: {
    batchSize: 10,
    action: 'sqs:SendMessage',
    parameters: { sqsQueueParameters: { messageGroupId: '$.group', messageDeduplicationId: '$.id' } },
    key: 'aws:sqs:arn',
  },
  topic: {
    batchSize: 10,
    action: 'sns:Publish',
    key: 'aws:sns:topicArn',
  },
  stream: {
    batchSize: 100,
    action: 'kinesis:PutRecords',
    parameters: { kinesisStreamParameters: { partitionKey: '$.group' } },
    key: 'aws:kinesis:arn',
  },
  firehose: { batchSize: 100, action: 'firehose:PutRecordBatch' },
  function: {
    batchSize: 10,
    action: 'lambda:InvokeFunction',
    parameters: { lambdaFunctionParameters: { invocationType: 'REQUEST_RESPONSE' } },
  },
  stateMachine: {
    batchSize: 10,
    action: 'states:StartExecution',
    parameters: { stepFunctionStateMachineParameters: { invocationType: 'FIRE_AND_FORGET' } },
  },
};

const ARCHIVE_WINDOW_SECONDS = 30;

/** Maximum age of a record. The position of an older record goes to the failure queue; the stream has the record for another hour. */
const MAX_RECORD_AGE_SECONDS = 23 * 60 * 60;

/** The maximum that Pipes allows: a record reaches MAX_RECORD_AGE_SECONDS first. Source: Pipes API reference. */
const MAX_RETRY_ATTEMPTS = 10_000;

/** Batches of at most 10 records that a pipe delivers at once from one shard of the stream: one at a time would be too slow. */
const PARALLEL_BATCHES = 10;

interface TablePipe {
  readonly table: SweptTable;
  readonly pipe: Pipe;
  readonly targetArn: string;
}

export class Pipes extends Construct {
  readonly onlyExpiries: SweepFunction;
  readonly logGroup: CloudwatchLogGroup;
  readonly archive: Archive | undefined;
  readonly pipes: Readonly<Record<string, PipesPipe>>;
  readonly #part: Part;
  readonly #failuresArn: string;

  constructor(scope: Construct, id: string, part: Part, tables: readonly SweptTable[], failuresArn: string) {
    super(scope, id);
    this.#part = part;
    this.#failuresArn = failuresArn;
    const { deployment } = part;
    this.onlyExpiries = new SweepFunction(this, part, 'OnlyExpiries', {
      environment: { DEPLOYMENT_NAME: deployment.name },
      statements: [],
    });
    // One entry in the resource policy for logs covers all log groups with the prefix `/aws/vendedlogs/`. Source: CloudWatch Logs User
    // Guide, "Logs sent to CloudWatch Logs".
    this.logGroup = logGroup(this, `/aws/vendedlogs/pipes/${deployment.name}`, deployment);
    const archived = tables.filter(({ props }) => props.archive);
    if (archived.length > 0) this.archive = new Archive(this, 'archive', part, archived, this.logGroup);
    const all = tables.flatMap(table => this.#pipesOf(table));
    const kinds = (['archive', 'events'] as const).flatMap(kind => {
      const own = all.filter(({ pipe }) => (pipe.kind === 'archive') === (kind === 'archive'));
      return own.length === 0 ? [] : [{ own, role: this.#role(kind, own) }];
    });
    const pipes = kinds.flatMap(({ own, role }) => own.map(each => this.#pipe(each, role)));
    this.pipes = Object.fromEntries(pipes.map(pipe => [pipe.node.id, pipe]));
  }

  #pipesOf(table: SweptTable): TablePipe[] {
    const { place } = this.#part;
    const { props, streamArn = '' } = table;
    place.know(streamArn, props.tableName, 'table//stream/2026-11-20T09:00:00.000');
    return pipesOf(props).map(pipe => {
      const targetArn = pipe.to ?? this.archive?.streams[props.name]?.arn ?? '';
      if (pipe.to === undefined) place.know(targetArn, pipeName(props, pipe), 'deliverystream/');
      return { table, pipe, targetArn };
    });
  }

  /** Makes one role for all pipes in `own`, because a role for each pipe would be up to two roles for each table. */
  #role(kind: 'archive' | 'events', own: readonly TablePipe[]): ServiceRole {
    const { place, deployment } = this.#part;
    const { name } = deployment;
    return new ServiceRole(this, `${kind}-role`, {
      place,
      name: `${name}-pipes-${kind}`,
      service: 'pipes',
      sourceArn: place.arn('pipes', `pipe/${beginningOf(name)}*`),
      statements: [
        {
          actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
          resources: own.map(({ table }) => table.streamArn ?? ''),
        },
        // IAM has no resources for `ListStreams`. Source: Service Authorization Reference, "Actions, resources, and condition keys for
        // Amazon DynamoDB".
        { actions: ['dynamodb:ListStreams'], resources: ['*'] },
        ...own.flatMap(({ table }) => tableKeyStatements('read', table.props, place)),
        { actions: ['lambda:InvokeFunction'], resources: [this.onlyExpiries.arn] },
        ...own.map(({ pipe, targetArn }) => ({
          actions: [DELIVERIES[pipe.kind].action],
          resources: [targetArn],
        })),
        ...own.flatMap(({ pipe, targetArn }) => {
          const { key } = DELIVERIES[pipe.kind];
          return key === undefined ? [] : [senderKeyStatement(deployment, targetArn, key)];
        }),
        { actions: ['sqs:SendMessage'], resources: [this.#failuresArn] },
        senderKeyStatement(deployment, this.#failuresArn),
      ],
    });
  }

  #pipe({ table, pipe, targetArn }: TablePipe, role: ServiceRole): PipesPipe {
    const { batchSize, parameters } = DELIVERIES[pipe.kind];
    const isArchive = pipe.kind === 'archive';
    const name = pipeName(table.props, pipe);
    return new PipesPipe(this, name, {
      name,
      roleArn: role.arn,
      source: table.streamArn ?? '',
      sourceParameters: {
        filterCriteria: { filter: [{ pattern: '{"eventName":["REMOVE"]}' }] },
        dynamodbStreamParameters: {
          // A new archive begins with the oldest record of the stream (24 hours at most); events begin with new records.
          startingPosition: isArchive ? 'TRIM_HORIZON' : 'LATEST',
          batchSize,
          maximumBatchingWindowInSeconds: isArchive ? ARCHIVE_WINDOW_SECONDS : 0,
          parallelizationFactor: batchSize === 10 ? PARALLEL_BATCHES : 1,
          maximumRecordAgeInSeconds: MAX_RECORD_AGE_SECONDS,
          maximumRetryAttempts: MAX_RETRY_ATTEMPTS,
          onPartialBatchItemFailure: 'AUTOMATIC_BISECT',
          deadLetterConfig: { arn: this.#failuresArn },
        },
      },
      enrichment: this.onlyExpiries.arn,
      enrichmentParameters: { inputTemplate: inputTemplate(table, pipe) },
      target: targetArn,
      ...(parameters && { targetParameters: parameters }),
      logConfiguration: {
        level: 'ERROR',
        cloudwatchLogsLogDestination: { logGroupArn: this.logGroup.arn },
      },
      dependsOn: [...role.policies],
    });
  }
}

/** The JSON that the pipe gives to OnlyExpiries for a record. Source: EventBridge User Guide, "Pipes input transformation". */
export function inputTemplate(
  { tableName, props }: { readonly tableName: string; readonly props: { readonly ttlAttribute: string } },
  { kind, oldImage }: Pick<Pipe, 'kind' | 'oldImage'>,
): string {
  const ttlAttribute = escaped(props.ttlAttribute);
  const known: Omit<PipedRecord, 'record'> = { table: tableName, ttlAttribute, to: kind, oldImage };
  return `${JSON.stringify(known).slice(0, -1)},"record":<aws.pipes.event.json>}`;
}
