import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { KinesisClient } from '@aws-sdk/client-kinesis';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SQSClient } from '@aws-sdk/client-sqs';
import { NodeHttpHandler } from '@smithy/node-http-handler';

export const local = (endpoint: string) => ({
  endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  maxAttempts: 1,
});

/** The SDK's own clients for an endpoint on this machine; they don't try again. */
export const s3Client = (endpoint: string, config: S3ClientConfig = {}): S3Client =>
  new S3Client({ ...local(endpoint), ...config });

export const sqsClient = (endpoint: string): SQSClient => new SQSClient(local(endpoint));

export const eventBridgeClient = (endpoint: string): EventBridgeClient =>
  new EventBridgeClient(local(endpoint));

export const kinesisClient = (endpoint: string): KinesisClient =>
  new KinesisClient({ ...local(endpoint), requestHandler: new NodeHttpHandler() });

export const schedulerClient = (endpoint: string): SchedulerClient => new SchedulerClient(local(endpoint));
