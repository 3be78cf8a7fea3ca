import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { LocalCloudWatch } from 'aws-on-loopback/cloudwatch/cloudwatch';
import { serveCloudWatch } from 'aws-on-loopback/cloudwatch/serve-cloudwatch';
import type { LocalService } from 'aws-on-loopback/service';
import { VirtualClock } from 'stepfunctions-emulator';
import { wholeReport } from '../../../functions/journal/layout.ts';
import type { DeploymentClients } from '../../../operate/deployment/clients.ts';
import {
  observeAlarms,
  observeDeployment,
  observeSweep,
  type WantedAlarms,
} from '../../../operate/deployment/observe-deployment.ts';
import { failureInWords } from '../../../operate/deployment/sweep.ts';
import type { ListedFailure } from '../../../statemachine/contract/keys.ts';
import { BUSY, REFUSED } from '../../../statemachine/contract/machines.ts';
import type { SweepReport } from '../../../statemachine/contract/report.ts';
import { useLoopbackAws } from '../../support/loopback-aws.ts';
import { subjectOf } from '../doctor/subject.ts';

const STREAM = 'arn:aws:dynamodb:us-east-1:123456789012:table/T/stream/2026-11-21T00:00:00.000';
const OLD_STREAM = STREAM.replace('2026-11-21', '2026-11-01');

const aws = useLoopbackAws();

async function streamReaders() {
  const lambda = new LambdaClient({
    endpoint: aws.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  });
  const only: DeploymentClients = {
    isLocal: false,
    dynamoDb: undefined,
    sfn: undefined,
    scheduler: undefined,
    sqs: undefined,
    lambda,
    cloudWatch: undefined,
    destroy: () => lambda.destroy(),
  };
  try {
    const subject = subjectOf({ archive: {}, events: { eventBus: 'default' } });
    const sweep = await observeSweep(only, subject.deployment, subject.region);
    return (await observeDeployment(only, subject, sweep)).streamReaders;
  } finally {
    only.destroy();
  }
}

test('the readers of a stream are all mappings of a function, on all pages, each with its stream', async () => {
  aws.answers.streamReaders.set('precise-ttl-T-archive-expiries', [
    {
      UUID: 'one',
      State: 'Enabled',
      EventSourceArn: OLD_STREAM,
      LastProcessingResult: 'OK',
      FilterCriteria: { Filters: [{ Pattern: '{}' }] },
    },
    { UUID: 'two', State: 'Creating', EventSourceArn: STREAM },
  ]);
  aws.answers.streamReaders.set('precise-ttl-T-publish-expiries', []);
  expect([...(await streamReaders())]).toEqual([
    [
      'ArchiveExpiries',
      {
        seen: [
          { uuid: 'one', state: 'Enabled', streamArn: OLD_STREAM, lastResult: 'OK', filters: ['{}'] },
          { uuid: 'two', state: 'Creating', streamArn: STREAM, lastResult: undefined, filters: [] },
        ],
      },
    ],
    ['PublishExpiries', { seen: [] }],
  ]);
});

test('a function that is not there is called by nothing', async () => {
  aws.answers.streamReaders.clear();
  expect([...(await streamReaders()).values()]).toEqual([{ seen: [] }, { seen: [] }]);
});

const START = Date.UTC(2026, 10, 21, 12);
const TOPIC = 'arn:aws:sns:us-east-1:123456789012:on-call';

const alarm = (name: string) => ({
  address: `aws_cloudwatch_metric_alarm.${name}`,
  name,
  description: `Of ${name}.`,
  arn: `arn:aws:cloudwatch:us-east-1:123456789012:alarm:${name}`,
  region: 'us-east-1',
  namespace: 'AWS/States',
  metricName: 'ExecutionsSucceeded',
  dimensions: {},
  statistic: 'Sum',
  period: 60,
  evaluationPeriods: 1,
  datapointsToAlarm: 1,
  threshold: 1,
  comparison: 'LessThanThreshold' as const,
  treatMissingData: 'breaching' as const,
  alarmActions: name.endsWith('told') ? [TOPIC] : [],
  okActions: [],
});

/** More alarms than fit into one answer of CloudWatch. */
const MANY = Array.from({ length: 150 }, (_, index) => `many-${String(index).padStart(3, '0')}`);

const clientOf = (endpoint: string) =>
  new CloudWatchClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  });

let server: LocalService;
let client: CloudWatchClient;
beforeAll(async () => {
  const cloudWatch = new LocalCloudWatch({
    clock: new VirtualClock(START),
    alarms: ['ttl-told', 'ttl-quiet', 'ttl-eu-told', 'ttlother-told', ...MANY].map(alarm),
    queues: [],
  });
  server = await serveCloudWatch(cloudWatch, undefined);
  client = clientOf(server.endpoint);
});
afterAll(async () => {
  client.destroy();
  await server.stop();
});

async function namesOf(wanted: WantedAlarms) {
  const observed = await observeAlarms(client, wanted, 'us-east-1');
  return 'seen' in observed ? observed.seen.map(({ name }) => name) : observed.notChecked;
}

test.each<[string, WantedAlarms, string[]]>([
  ['names of which some are there', { names: ['ttl-told', 'gone'] }, ['ttl-told']],
  ['a sweep', { sweep: 'ttl', others: ['many'] }, ['ttl-eu-told', 'ttl-quiet', 'ttl-told']],
  [
    'a sweep, and another whose name begins so',
    { sweep: 'ttl', others: ['ttl', 'ttl-eu', 'ttlother'] },
    ['ttl-quiet', 'ttl-told'],
  ],
  ['a sweep with more alarms than one answer has', { sweep: 'many', others: [] }, MANY],
])('alarms of %s', async (_what, wanted, expected) => {
  expect([await namesOf(wanted)].flat().sort()).toEqual(expected);
});

test('an alarm says how it stands and whether it tells somebody', async () => {
  const observed = await observeAlarms(client, { names: ['ttl-told', 'ttl-quiet'] }, 'us-east-1');
  const common = { state: 'INSUFFICIENT_DATA', since: new Date(START) };
  expect(observed).toEqual({
    seen: expect.arrayContaining([
      { ...common, name: 'ttl-told', description: 'Of ttl-told.', hasAction: true },
      { ...common, name: 'ttl-quiet', description: 'Of ttl-quiet.', hasAction: false },
    ]),
  });
});

test('without names nothing is asked: the answer would be all alarms of the account', async () => {
  const nobody = clientOf('http://127.0.0.1:9');
  expect(await observeAlarms(nobody, { names: [] }, 'us-east-1')).toEqual({ seen: [] });
  expect(await observeAlarms(nobody, { names: ['ttl-told'] }, 'us-east-1')).toHaveProperty('notChecked');
});

const failed = (reason: string): ListedFailure => ({ key: { id: { S: 'secret' } }, reason });
const unplanned = (error: string, message: string) => ({ tablesFailed: 1, failure: { error, message } });

test.each<[string, Partial<SweepReport>]>([
  [
    '2 of 1,200 items could not be deleted (ValidationError, Unprocessed)',
    {
      found: 1200,
      failed: 2,
      failedKeys: [failed('ValidationError'), failed('Unprocessed'), failed('ValidationError')],
    },
  ],
  ['1 child did not get through', { shardsFailed: 1 }],
  [
    '2 of 1,200 items could not be deleted, and 3 children did not get through',
    { found: 1200, failed: 2, shardsFailed: 3 },
  ],
  [
    'DynamoDB throttled it, or did not answer, for longer than a sweep waits: Query of i',
    unplanned(BUSY, 'Query of i'),
  ],
  [
    'Lambda refused to run its functions: the account runs as many at once as it may',
    unplanned(REFUSED, 'Rate exceeded'),
  ],
  [
    'the table or its index is not there: Requested resource not found',
    unplanned('ResourceNotFoundException', 'Requested resource not found'),
  ],
  [
    'a role lacks a permission: User: r is not authorized to perform: dynamodb:Query',
    unplanned('AccessDeniedException', 'User: r is not authorized to perform: dynamodb:Query'),
  ],
  ['InvalidSettingsError: shards: expected', unplanned('InvalidSettingsError', 'shards: expected\nmore')],
])('says: %s', (expected, report) => {
  expect(failureInWords(wholeReport(report))).toBe(expected);
});

test('a message that is long prose is cut', () => {
  expect(failureInWords(wholeReport(unplanned('Error', 'x'.repeat(1000))))).toHaveLength(
    'Error: '.length + 201,
  );
});
