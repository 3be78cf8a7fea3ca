import { buffer } from 'node:stream/consumers';
import {
  CloudWatchClient,
  DescribeAlarmsCommand,
  GetMetricDataCommand,
  GetMetricStatisticsCommand,
  ListMetricsCommand,
  PutMetricAlarmCommand,
} from '@aws-sdk/client-cloudwatch';
import { ListRulesCommand, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { ListShardsCommand, PutRecordsCommand } from '@aws-sdk/client-kinesis';
import { InvokeCommand, LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import {
  CreateScheduleGroupCommand,
  GetScheduleCommand,
  ListScheduleGroupsCommand,
  ListSchedulesCommand,
  UpdateScheduleCommand,
} from '@aws-sdk/client-scheduler';
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListQueuesCommand,
  ReceiveMessageCommand,
  type ReceiveMessageCommandOutput,
  SendMessageBatchCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { NotLoopbackError, VirtualClock } from 'stepfunctions-emulator';
import { LocalCloudWatch } from '../src/cloudwatch/cloudwatch.ts';
import { serveCloudWatch } from '../src/cloudwatch/serve-cloudwatch.ts';
import { startEventBridge } from '../src/eventbridge/start-eventbridge.ts';
import { startKinesis } from '../src/kinesis/start-kinesis.ts';
import { startLambda } from '../src/lambda/lambda-api.ts';
import { startS3 } from '../src/s3/start-s3.ts';
import type { ScheduleResource } from '../src/scheduler/schedule.ts';
import { startScheduler } from '../src/scheduler/scheduler-api.ts';
import type { LocalService } from '../src/service.ts';
import { serviceVariables, withLocalNames } from '../src/service-variables.ts';
import { SERVICES } from '../src/services.ts';
import { startSqs } from '../src/sqs/start-sqs.ts';
import {
  eventBridgeClient,
  kinesisClient,
  local,
  s3Client,
  schedulerClient,
  sqsClient,
} from './support/endpoint-clients.ts';

test('what is not run here is nowhere, and leaves this machine by no way', () => {
  expect(serviceVariables({ s3: 'http://127.0.0.1:8086/' })).toEqual({
    AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
    AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:8086',
  });
  expect(serviceVariables()).toEqual({ AWS_ENDPOINT_URL: 'http://127.0.0.1:9' });
});

test.each([
  [{ s3: 'https://s3.amazonaws.com' }, 'AWS_ENDPOINT_URL_S3'],
  [{ sqs: 'http://10.0.0.1:1' }, 'AWS_ENDPOINT_URL_SQS'],
  [{ eventBridge: 'http://example.com' }, 'AWS_ENDPOINT_URL_EVENTBRIDGE'],
  [{ lambda: 'x' }, 'AWS_ENDPOINT_URL_LAMBDA'],
])('fails for %j', (endpoints, variable) => {
  expect(() => serviceVariables(endpoints)).toThrow(NotLoopbackError);
  expect(() => serviceVariables(endpoints)).toThrow(variable);
});

test.each([
  ['https://sqs.eu-central-1.amazonaws.com/999999999999/q', 'http://127.0.0.1:1/123456789012/q'],
  ['https://sqs.cn-north-1.amazonaws.com.cn/999999999999/q.fifo', 'http://127.0.0.1:1/123456789012/q.fifo'],
  ['http://127.0.0.1:7/123456789012/q', 'http://127.0.0.1:7/123456789012/q'],
  ['arn:aws:events:eu-central-1:999999999999:event-bus/team/orders', 'team/orders'],
  ['arn:aws:sqs:eu-central-1:999999999999:q', 'arn:aws:sqs:eu-central-1:999999999999:q'],
  ['default', 'default'],
])('%s is called %s here', (given, expected) => {
  expect(withLocalNames({ A: given }, 'http://127.0.0.1:1')).toEqual({ A: expected });
});

test('without an SQS a queue is nowhere', () => {
  const given = { A: 'https://sqs.eu-central-1.amazonaws.com/999999999999/q' };
  expect(withLocalNames(given, undefined)).toEqual({ A: 'http://127.0.0.1:9/123456789012/q' });
});

type ServiceName = keyof typeof SERVICES;

interface Client {
  readonly send: (command: never) => Promise<unknown>;
  readonly destroy: () => void;
  readonly middlewareStack: { readonly add: (middleware: never, options: never) => void };
}

const SCHEDULE: ScheduleResource = {
  address: 'aws_scheduler_schedule.tick',
  name: 'tick',
  arn: 'arn:aws:scheduler:us-east-1:123456789012:schedule/default/tick',
  expression: 'rate(1 hour)',
  timezone: 'UTC',
  enabled: true,
  targetArn: 'arn:aws:states:us-east-1:123456789012:stateMachine:sweep',
  roleArn: 'arn:aws:iam::123456789012:role/x',
};

const STARTED: Readonly<Record<ServiceName, () => Promise<[LocalService, (endpoint: string) => Client]>>> = {
  S3: async () => [await startS3({ buckets: ['archive'] }), endpoint => s3Client(endpoint)],
  SQS: async () => [await startSqs({ queues: ['jobs.fifo'] }), sqsClient],
  EventBridge: async () => [await startEventBridge(), eventBridgeClient],
  Kinesis: async () => {
    const entries = ['taken', 'fails'];
    const failEntry = () => (entries.shift() === 'fails' ? 'InternalFailure' : undefined);
    return [await startKinesis({ streams: ['expired'], failEntry }), kinesisClient];
  },
  Scheduler: async () => [
    await startScheduler({ schedules: [SCHEDULE], updateSchedule: () => {} }),
    schedulerClient,
  ],
  CloudWatch: async () => [
    await serveCloudWatch(new LocalCloudWatch({ clock: new VirtualClock(0), alarms: [], queues: [] })),
    endpoint => new CloudWatchClient(local(endpoint)),
  ],
  Lambda: async () => [
    await startLambda({ invoke: async () => ({ ok: true, payload: 1 }) }),
    endpoint => new LambdaClient(local(endpoint)),
  ],
};

const OBJECT = { Bucket: 'archive', Key: 'a' };
const QueueUrl = 'http://127.0.0.1/123456789012/jobs.fifo';
const message = (text: string) => ({
  MessageBody: text,
  MessageGroupId: text,
  MessageDeduplicationId: text,
});
const METRIC = { Namespace: 'N', MetricName: 'm' };
const SPAN = { StartTime: new Date(0), EndTime: new Date(600_000) };

/** A command, or how it is made of the answer before it. */
type Call = object | ((before: never) => object);

/** A call of each operation, in this order; the compiler wants one for every entry of the list. */
const CALLS: {
  readonly [Service in ServiceName]: { readonly [Operation in keyof (typeof SERVICES)[Service]]: Call };
} = {
  S3: {
    PutObject: new PutObjectCommand({ ...OBJECT, Body: 'x' }),
    GetObject: new GetObjectCommand(OBJECT),
    DeleteObject: new DeleteObjectCommand(OBJECT),
    ListObjectsV2: new ListObjectsV2Command({ Bucket: 'archive' }),
  },
  SQS: {
    SendMessage: new SendMessageCommand({ QueueUrl, ...message('a') }),
    SendMessageBatch: new SendMessageBatchCommand({
      QueueUrl,
      Entries: [
        { Id: 'b', ...message('b') },
        { Id: 'c', ...message('c'), DelaySeconds: 1 },
      ],
    }),
    ReceiveMessage: new ReceiveMessageCommand({ QueueUrl, MessageSystemAttributeNames: ['All'] }),
    DeleteMessage: ({ Messages }: ReceiveMessageCommandOutput) =>
      new DeleteMessageCommand({ QueueUrl, ReceiptHandle: Messages?.[0]?.ReceiptHandle }),
    DeleteMessageBatch: new DeleteMessageBatchCommand({
      QueueUrl,
      Entries: [{ Id: 'a', ReceiptHandle: 'x' }],
    }),
    GetQueueAttributes: new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
    GetQueueUrl: new GetQueueUrlCommand({ QueueName: 'jobs.fifo' }),
    ListQueues: new ListQueuesCommand({}),
  },
  EventBridge: {
    PutEvents: new PutEventsCommand({
      Entries: [{ Source: 's', DetailType: 'd', Detail: '{}' }, { Source: 's' } as never],
    }),
  },
  Kinesis: {
    PutRecords: new PutRecordsCommand({
      StreamName: 'expired',
      Records: ['a', 'b'].map(PartitionKey => ({ PartitionKey, Data: Buffer.from('x') })),
    }),
  },
  Scheduler: {
    GetSchedule: new GetScheduleCommand({ Name: 'tick', GroupName: 'default' }),
    UpdateSchedule: new UpdateScheduleCommand({
      Name: 'tick',
      ScheduleExpression: 'rate(2 hours)',
      FlexibleTimeWindow: { Mode: 'OFF' },
      Target: { Arn: SCHEDULE.targetArn, RoleArn: SCHEDULE.roleArn },
      ClientToken: 'x',
    }),
    ListSchedules: new ListSchedulesCommand({ GroupName: 'default', MaxResults: 10 }),
    ListScheduleGroups: new ListScheduleGroupsCommand({ MaxResults: 10 }),
  },
  CloudWatch: {
    DescribeAlarms: new DescribeAlarmsCommand({}),
    GetMetricData: new GetMetricDataCommand({
      ...SPAN,
      MetricDataQueries: [{ Id: 'a', MetricStat: { Metric: METRIC, Period: 60, Stat: 'Sum' } }],
    }),
    GetMetricStatistics: new GetMetricStatisticsCommand({
      ...SPAN,
      ...METRIC,
      Period: 60,
      Statistics: ['Sum'],
    }),
    ListMetrics: new ListMetricsCommand({}),
  },
  Lambda: { Invoke: new InvokeCommand({ FunctionName: 'f', Payload: '{}' }) },
};

/** Services whose answers are JSON. */
const IN_JSON: readonly ServiceName[] = ['SQS', 'EventBridge', 'Kinesis', 'Scheduler', 'CloudWatch'];

/** Names that are in the answers only where an entry failed. */
const FAILED: Readonly<Record<string, readonly string[]>> = {
  DeleteMessageBatch: ['.Failed[].Code'],
  PutEvents: ['.Entries[].ErrorCode', '.Entries[].EventId'],
  PutRecords: ['.Records[].ErrorCode', '.Records[].SequenceNumber'],
};

/** The names in a value, each with the names that lead to it. */
function namesIn(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap(one => namesIn(one, `${path}[]`)))].sort();
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .flatMap(([name, one]) => [`${path}.${name}`, ...namesIn(one, `${path}.${name}`)])
    .sort();
}

/** @returns what the last answer was before the client read it: a client drops every name that AWS's models don't have */
function listen({ middlewareStack }: Client): () => string {
  let answered = '';
  const stack = middlewareStack as unknown as S3Client['middlewareStack'];
  stack.add(
    next => async args => {
      const result = await next(args);
      const response = result.response as { body: NodeJS.ReadableStream | Buffer };
      const body = await buffer(response.body as NodeJS.ReadableStream);
      answered = body.toString();
      response.body = body;
      return result;
    },
    { name: 'listen', step: 'deserialize', priority: 'low' },
  );
  return () => answered;
}

/** An operation that is not in the list. */
const OTHERS: Readonly<Record<ServiceName, object>> = {
  S3: new CreateBucketCommand({ Bucket: 'new' }),
  SQS: new CreateQueueCommand({ QueueName: 'new' }),
  EventBridge: new ListRulesCommand({}),
  Kinesis: new ListShardsCommand({ StreamName: 'expired' }),
  Scheduler: new CreateScheduleGroupCommand({ Name: 'new' }),
  CloudWatch: new PutMetricAlarmCommand({
    AlarmName: 'a',
    EvaluationPeriods: 1,
    ComparisonOperator: 'GreaterThanThreshold',
  }),
  Lambda: new ListFunctionsCommand({}),
};

test.each(Object.keys(SERVICES) as ServiceName[])(
  "%s answers each of its operations to AWS's client, and refuses another by telling what there is",
  async name => {
    const [service, clientOf] = await STARTED[name]();
    const client = clientOf(service.endpoint);
    const answered = IN_JSON.includes(name) ? listen(client) : () => '';
    try {
      const operations = Object.keys(SERVICES[name]);
      let before: unknown;
      for (const [operation, call] of Object.entries<Call>(CALLS[name])) {
        const command: object = typeof call === 'function' ? call(before as never) : call;
        expect(command.constructor.name).toBe(`${operation}Command`);
        const { $metadata, ...read } = (await client.send(command as never)) as Record<string, unknown>;
        before = read;
        if (!IN_JSON.includes(name)) continue;
        expect([operation, namesIn(JSON.parse(answered()))]).toEqual([operation, namesIn(read)]);
        expect(namesIn(read)).toEqual(expect.arrayContaining(FAILED[operation] ?? []));
      }
      const refusal = await client.send(OTHERS[name] as never).catch((error: Error) => error.message);
      expect(operations.filter(operation => !String(refusal).includes(operation))).toEqual([]);
    } finally {
      client.destroy();
      await service.stop();
    }
  },
);
