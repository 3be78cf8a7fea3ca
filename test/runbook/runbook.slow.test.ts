/** @jest-environment ./test/support/dynamodb-environment.ts */
import { CreateStateMachineCommand, DeleteStateMachineCommand, type SFNClient } from '@aws-sdk/client-sfn';
import { DynamoDBDocumentClient, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { crash } from '../../bench/fuzz/faults.ts';
import { command as doctor } from '../../cli/doctor.ts';
import { command as pause } from '../../cli/pause.ts';
import { command as resume } from '../../cli/resume.ts';
import { command as status } from '../../cli/status.ts';
import { expiryAttributes } from '../../expiry/index.ts';
import { sfnClient } from '../../packages/stepfunctions-emulator/test/support/step-functions-api.ts';
import { type AlarmName, kebab } from '../../stacks/config/alarms.ts';
import { EVERY_MINUTE, modelOf, TICK_INPUT } from '../../stacks/config/deployments.ts';
import type { PreciseTtlProps } from '../../stacks/config/props.ts';
import type { DynamoDbCall } from '../support/fault-proxy.ts';
import { useLoopbackAws } from '../support/loopback-aws.ts';
import { MINUTE, notPrinted, type PlayedCloud, playedCloud } from './played-cloud.ts';

/*
 * Each section of docs/reference/alarms.md, played through: the fault, its metric, what one sees, what the section says to do, the end. One
 * deployment for all of them, one after the other, on a clock of its own. What the document shows is what is printed here.
 */

const SESSIONS: PreciseTtlProps = {
  tableName: 'Sessions',
  partitionKey: 'id',
  logKeys: 'full',
};
const DAY = 24 * 60 * MINUTE;
const START = Date.parse('2026-11-21T12:08:30Z');

const aws = useLoopbackAws();
let cloud: PlayedCloud;
let sfn: SFNClient;
let documents: DynamoDBDocumentClient;

beforeAll(async () => {
  cloud = await playedCloud(SESSIONS, START, aws.endpoint);
  setSchedules(true);
  sfn = sfnClient(cloud.served.endpoint);
  documents = DynamoDBDocumentClient.from(cloud.served.cloud.client);
  await cloud.clock.advance(2 * MINUTE);
});
afterAll(async () => {
  sfn?.destroy();
  await cloud?.stop();
});
beforeEach(() => {
  cloud.printed.length = 0;
});
/** What the section shows was printed in its play, but for times and numbers. */
const expectShown = (alarm: AlarmName) => expect(notPrinted(kebab(alarm), cloud.printed)).toEqual([]);

async function put(id: string, inSeconds: number): Promise<void> {
  const expiresAt = Math.floor(cloud.clock.now() / 1000) + inSeconds;
  const item = {
    id,
    ...expiryAttributes(modelOf(SESSIONS), { id }, { expiresAt, nowMs: cloud.clock.now() }),
  };
  await documents.send(new PutCommand({ TableName: SESSIONS.tableName, Item: item }));
}
const isoAgo = (minutes: number) => new Date(cloud.clock.now() - minutes * MINUTE).toISOString();
const left = async () => {
  const { Items = [] } = await documents.send(new ScanCommand({ TableName: SESSIONS.tableName }));
  return Items.map(({ id }) => id);
};
const advance = (minutes: number) => cloud.clock.advance(minutes * MINUTE);
/** At the beginning of the minute after so many. */
const putAtMinute = (id: string, minutes: number) =>
  put(id, (minutes + 1) * 60 - (Math.floor(cloud.clock.now() / 1000) % 60));
const isDelete = ({ operation }: DynamoDbCall) => operation === 'BatchExecuteStatement';
const machine = (wanted = 'precise-ttl') =>
  cloud.served.cloud.synthesized.stateMachines.find(({ name }) => name === wanted);
const setSchedules = (enabled: boolean) => {
  const { cloud: local } = cloud.served;
  if (enabled) local.startSchedules();
  else local.pauseSchedules();
  aws.answers.schedules.set('precise-ttl/precise-ttl-tick', {
    State: enabled ? 'ENABLED' : 'DISABLED',
    ScheduleExpression: EVERY_MINUTE,
    Target: { Arn: machine()?.arn ?? '', Input: JSON.stringify(TICK_INPUT) },
  });
};

test('no-sweep: the schedules are off; when they are on, the next tick deletes what was left', async () => {
  setSchedules(false);
  await put('left', 30);
  await advance(8);
  expect(cloud.reached('noSweep', 5)).toBe(false);
  const { text, exit } = await cloud.typed(status);
  expect([exit, text]).toEqual([1, expect.stringMatching(/^Sessions: 1 item, the oldest for \d minutes/)]);
  expect((await cloud.typed(doctor)).text).toContain('Turn it on in EventBridge Scheduler');
  setSchedules(true);
  await cloud.untilReached('noSweep', 3);
  expect(await left()).toEqual([]);
  expectShown('noSweep');
  await put('in-time', 200);
  await advance(6);
  expect((await cloud.typed(status)).text).toMatch(/^Sessions: everything that was due by/);
});

test('items-failed and executions-failed: DynamoDB refuses a key; when it no longer does, a replay deletes the item', async () => {
  await put('refused', 100);
  const errors = new Map([[0, 'AccessDenied']]);
  cloud.faults.dynamoDb = call => (isDelete(call) ? { kind: 'leaveOut', errors } : undefined);
  await cloud.untilReached('itemsFailed', 4);
  expect(cloud.reached('executionsFailed', 1)).toBe(true);
  expect((await cloud.typed(status)).exit).toBe(1);
  await cloud.typed(status, '--history');
  await cloud.typed(doctor);
  expect(await left()).toEqual(['refused']);
  cloud.faults.dynamoDb = undefined;
  expect((await cloud.replay(isoAgo(30), isoAgo(0))).text).toContain('found 1, deleted 1');
  expect(await left()).toEqual([]);
  await put('in-time', 200);
  await advance(5);
  expect(cloud.reached('itemsFailed', 5)).toBe(false);
  expectShown('itemsFailed');
  expect(cloud.reached('executionsFailed', 5)).toBe(false);
  await cloud.typed(status);
  expectShown('executionsFailed');
});

test('executions-failed: a function crashes; when it no longer does, the next tick deletes what was left', async () => {
  await put('left', 100);
  cloud.faults.functions = async ({ functionName }) =>
    functionName.endsWith('-query-expired') ? crash() : undefined;
  await cloud.untilReached('executionsFailed', 4);
  expect((await cloud.typed(status)).exit).toBe(1);
  await cloud.typed(status, '--history');
  expect(await left()).toEqual(['left']);
  cloud.faults.functions = undefined;
  await advance(2);
  expect(await left()).toEqual([]);
  await advance(5);
  expect(cloud.reached('executionsFailed', 5)).toBe(false);
  expect((await cloud.typed(status)).text).toMatch(/sweeps .* ok in [\d.]+ s: found 1, deleted 1/);
});

test('dead-letters: the state machine is gone; with a new one sweeps start again', async () => {
  const { arn, name, roleArn, definition } = machine() ?? {};
  await sfn.send(new DeleteStateMachineCommand({ stateMachineArn: arn }));
  await cloud.untilReached('deadLetters', 2);
  expect((await cloud.typed(doctor)).text).toContain('-> npx precise-ttl deploy');
  await sfn.send(new CreateStateMachineCommand({ name, roleArn, definition }));
  await advance(2);
  const { text } = await cloud.typed(status);
  expect(text).toMatch(/last tick +planned 12:4\d:00Z/);
  expectShown('deadLetters');
});

test('deletion-lag: DynamoDB throttles for a quarter of each minute; when it no longer does, items are in time', async () => {
  const errors = new Map([[0, 'ThrottlingError']]);
  cloud.faults.dynamoDb = call =>
    isDelete(call) && cloud.clock.now() % MINUTE < MINUTE / 4 ? { kind: 'leaveOut', errors } : undefined;
  for (const each of [2, 7, 12]) await putAtMinute(`throttled-${each}`, each);
  await advance(14);
  expect(cloud.reached('deletionLag', 5)).toBe(true);
  await cloud.typed(status);
  await cloud.typed(status, '--history');
  cloud.faults.dynamoDb = undefined;
  await putAtMinute('in-time', 1);
  await advance(6);
  expect(cloud.reached('deletionLag', 5)).toBe(false);
  // Earlier plays are told of for an hour.
  expect((await cloud.typed(status)).text).toMatch(/ {2}overdue +nothing \(/);
  expectShown('deletionLag');
});

test('watermark-age: somebody has forgotten that a table is paused; when it is resumed, the ticks make up for what was missed', async () => {
  setSchedules(true);
  await advance(2);
  await cloud.typed(resume);
  await advance(2);
  cloud.printed.length = 0;
  await cloud.typed(pause);
  await put('missed', 90);
  // Ticks that would do nothing for this table.
  setSchedules(false);
  await cloud.clock.advance(DAY);
  setSchedules(true);
  await advance(2);
  expect(cloud.reached('watermarkAge', 2)).toBe(false);
  setSchedules(false);
  await cloud.clock.advance(2 * 60 * MINUTE);
  setSchedules(true);
  await cloud.untilReached('watermarkAge', 4);
  const { text } = await cloud.typed(status);
  expect(text).toMatch(/paused +since .*, until npx precise-ttl resume --table Sessions/);
  expect(await left()).toEqual(['missed']);
  expect((await cloud.typed(resume)).text).toContain('The ticks make up for what was due from');
  await advance(3);
  expect(await left()).toEqual([]);
  await advance(3);
  expect(cloud.reached('watermarkAge', 3)).toBe(false);
  expectShown('watermarkAge');
});
