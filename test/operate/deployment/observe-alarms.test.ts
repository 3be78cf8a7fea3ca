import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { LocalCloudWatch } from 'aws-on-loopback/cloudwatch/cloudwatch';
import { serveCloudWatch } from 'aws-on-loopback/cloudwatch/serve-cloudwatch';
import type { LocalService } from 'aws-on-loopback/service';
import { VirtualClock } from 'stepfunctions-emulator';
import { observeAlarms, type WantedAlarms } from '../../../operate/deployment/observe-deployment.ts';

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
