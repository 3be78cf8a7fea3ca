import { LambdaEventSourceMapping } from '@cdktf/provider-aws/lib/lambda-event-source-mapping/index.js';
import { SqsQueue } from '@cdktf/provider-aws/lib/sqs-queue/index.js';
import type { ITerraformDependable } from 'cdktf';
import { Construct } from 'constructs';
import { failureQueueOf } from '../../config/names.ts';
import type { ResolvedProps } from '../../config/props.ts';
import { STREAM_FILTER } from '../../config/stream-props.ts';
import { fileOf, type StreamFunctionName } from '../../functions/function-list.ts';
import { queueKeyStatements, tableKeyStatements } from './access-statements.ts';
import type { Place } from './place.ts';
import type { Statement } from './role.ts';
import { SweepFunction, tableInWords } from './sweep-function.ts';

/** Age at which a record is given up: less than the 24 hours of a stream, so that the record can still be read. */
export const MAX_RECORD_AGE_SECONDS = 23 * 60 * 60;

const RETENTION_SECONDS = 14 * 24 * 60 * 60;

export interface StreamReaderProps {
  readonly place: Place;
  readonly name: StreamFunctionName;
  readonly streamArn: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Permissions of the function's own code. */
  readonly statements: readonly Statement[];
  /** Most records of a call. */
  readonly batchSize: number;
  /** Seconds for which records are collected for one call. */
  readonly batchSeconds: number;
  /** Timeout of the function. @default that of its task */
  readonly timeoutSeconds?: number;
  /** Resources that must exist before the first call. @default none */
  readonly dependsOn?: readonly ITerraformDependable[];
  readonly sweep: ResolvedProps;
}

/** A function that the table's stream calls with removals, and the queue for records that it could not process within 23 hours. */
export class StreamReader extends Construct {
  readonly function: SweepFunction;
  readonly failures: SqsQueue;
  readonly mapping: LambdaEventSourceMapping;

  constructor(scope: Construct, id: string, props: StreamReaderProps) {
    super(scope, id);
    const {
      place,
      name,
      streamArn,
      environment,
      statements,
      batchSize,
      batchSeconds,
      timeoutSeconds,
      dependsOn = [],
      sweep,
    } = props;
    const { kmsKeyArn } = sweep;
    this.failures = new SqsQueue(this, 'failures', {
      name: failureQueueOf(name, sweep),
      messageRetentionSeconds: RETENTION_SECONDS,
      ...(kmsKeyArn === undefined ? { sqsManagedSseEnabled: true } : { kmsMasterKeyId: kmsKeyArn }),
    });
    this.function = new SweepFunction(this, fileOf(name), {
      place,
      task: name,
      worksFor: tableInWords(sweep),
      // Its delay is a metric of the deployment.
      environment: { ...environment, DEPLOYMENT_NAME: sweep.sweep },
      ...(timeoutSeconds !== undefined && { timeoutSeconds }),
      statements: [
        ...statements,
        ...this.#pollerStatements(streamArn),
        ...tableKeyStatements('read', sweep, place),
        ...queueKeyStatements(sweep, this.failures.arn),
      ],
      sweep,
    });
    this.mapping = new LambdaEventSourceMapping(this, 'mapping', {
      eventSourceArn: streamArn,
      functionName: this.function.arn,
      startingPosition: 'TRIM_HORIZON',
      batchSize,
      maximumBatchingWindowInSeconds: batchSeconds,
      filterCriteria: { filter: [{ pattern: JSON.stringify(STREAM_FILTER) }] },
      functionResponseTypes: ['ReportBatchItemFailures'],
      bisectBatchOnFunctionError: true,
      maximumRecordAgeInSeconds: MAX_RECORD_AGE_SECONDS,
      maximumRetryAttempts: -1,
      destinationConfig: { onFailure: { destinationArn: this.failures.arn } },
      ...(dependsOn.length > 0 && { dependsOn: [...dependsOn] }),
    });
    this.node.defaultChild = this.mapping;
  }

  /**
   * Permissions that Lambda uses with the function's role: it reads the stream, and reports given-up records. The action for listing
   * streams has no resource. Source: Lambda Developer Guide, "Using AWS Lambda with Amazon DynamoDB", "Execution role permissions"; AWS
   * CDK, `Table.grantStreamRead` and `grantTableListStreams`.
   */
  #pollerStatements(streamArn: string): Statement[] {
    return [
      {
        actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
        resources: [streamArn],
      },
      { actions: ['dynamodb:ListStreams'], resources: ['*'] },
      { actions: ['sqs:SendMessage'], resources: [this.failures.arn] },
    ];
  }
}
