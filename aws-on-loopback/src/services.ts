import { CLOUDWATCH } from './cloudwatch/serve-cloudwatch.ts';
import { EVENT_BRIDGE } from './eventbridge/start-eventbridge.ts';
import { KINESIS } from './kinesis/start-kinesis.ts';
import { LAMBDA_OPERATIONS } from './lambda/lambda-api.ts';
import { S3_OPERATIONS } from './s3/s3-api.ts';
import { SCHEDULER } from './scheduler/scheduler-api.ts';
import { SQS } from './sqs/sqs-api.ts';

/**
 * All operations that are supported: service → operation → handler. Each service refuses every operation that its entry does not contain,
 * by name.
 */
export const SERVICES = {
  S3: S3_OPERATIONS,
  SQS: SQS.operations,
  EventBridge: EVENT_BRIDGE.operations,
  Kinesis: KINESIS.operations,
  Scheduler: SCHEDULER.operations,
  CloudWatch: CLOUDWATCH.operations,
  Lambda: LAMBDA_OPERATIONS,
} as const satisfies Readonly<Record<string, Readonly<Record<string, unknown>>>>;
