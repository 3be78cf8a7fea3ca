import { request } from 'node:http';
import {
  CreateScheduleCommand,
  GetScheduleCommand,
  ListScheduleGroupsCommand,
  ListSchedulesCommand,
  type ListSchedulesInput,
  ResourceNotFoundException,
  UpdateScheduleCommand,
  type UpdateScheduleInput,
  ValidationException,
} from '@aws-sdk/client-scheduler';
import fc from 'fast-check';
import { VirtualClock } from 'stepfunctions-emulator';
import type { ScheduleResource } from '../../src/scheduler/schedule.ts';
import { LocalScheduler } from '../../src/scheduler/scheduler.ts';
import { startScheduler } from '../../src/scheduler/scheduler-api.ts';
import type { LocalService } from '../../src/service.ts';
import { schedulerClient } from '../support/endpoint-clients.ts';

const START = Date.parse('2026-11-20T09:00:30Z');
const MACHINE = 'arn:aws:states:us-east-1:123456789012:stateMachine:sweep';
const ROLE = 'arn:aws:iam::123456789012:role/x';

const resource = (name: string): ScheduleResource => ({
  address: `aws_scheduler_schedule.${name}`,
  name,
  arn: `arn:aws:scheduler:us-east-1:123456789012:schedule/sweep/${name}`,
  expression: 'cron(* * * * ? *)',
  timezone: 'UTC',
  enabled: true,
  targetArn: MACHINE,
  roleArn: ROLE,
  input: '{"scheduledTime":"<aws.scheduler.scheduled-time>"}',
  asGiven: { DeadLetterConfig: { Arn: 'arn:aws:sqs:us-east-1:123456789012:dead' } },
});

const clock = new VirtualClock(START);
const scheduler = new LocalScheduler({
  clock,
  schedules: ['tick', 'hourly', 'hourly-2'].map(resource),
  fire: () => {},
  onError: () => {},
});
const cloud = {
  get schedules() {
    return scheduler.schedules;
  },
  updateSchedule: (schedule: ScheduleResource) => scheduler.update(schedule),
};

let server: LocalService;
let client: ReturnType<typeof schedulerClient>;
beforeAll(async () => {
  server = await startScheduler(cloud, { clock });
  client = schedulerClient(server.endpoint);
});
afterAll(async () => {
  client?.destroy();
  await server?.stop();
});

const get = (Name: string, GroupName = 'sweep') => client.send(new GetScheduleCommand({ Name, GroupName }));
const put = (over: Partial<UpdateScheduleInput> = {}) =>
  client.send(
    new UpdateScheduleCommand({
      Name: 'tick',
      GroupName: 'sweep',
      ScheduleExpression: 'rate(5 minutes)',
      FlexibleTimeWindow: { Mode: 'OFF' },
      Target: { Arn: MACHINE, RoleArn: ROLE },
      ...over,
    }),
  );

test('a schedule is answered as it was synthesized, with the defaults of Scheduler', async () => {
  const { $metadata, ...found } = await get('hourly');
  expect(found).toEqual({
    Arn: 'arn:aws:scheduler:us-east-1:123456789012:schedule/sweep/hourly',
    Name: 'hourly',
    GroupName: 'sweep',
    ScheduleExpression: 'cron(* * * * ? *)',
    ScheduleExpressionTimezone: 'UTC',
    State: 'ENABLED',
    FlexibleTimeWindow: { Mode: 'OFF' },
    Target: {
      Arn: MACHINE,
      RoleArn: ROLE,
      Input: '{"scheduledTime":"<aws.scheduler.scheduled-time>"}',
      DeadLetterConfig: { Arn: 'arn:aws:sqs:us-east-1:123456789012:dead' },
      RetryPolicy: { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 },
    },
    ActionAfterCompletion: 'NONE',
    CreationDate: new Date(START),
    LastModificationDate: new Date(START),
  });
});

test('an update replaces everything: what it leaves out is gone', async () => {
  await put({ State: 'DISABLED', Description: 'x', StartDate: new Date(START + 60_000) });
  await clock.sleep(5_000);
  expect(await put()).toMatchObject({ ScheduleArn: resource('tick').arn });
  const { $metadata, ...found } = await get('tick');
  expect(found).toEqual({
    Arn: resource('tick').arn,
    Name: 'tick',
    GroupName: 'sweep',
    ScheduleExpression: 'rate(5 minutes)',
    ScheduleExpressionTimezone: 'UTC',
    State: 'ENABLED',
    FlexibleTimeWindow: { Mode: 'OFF' },
    Target: { Arn: MACHINE, RoleArn: ROLE, RetryPolicy: expect.anything() },
    ActionAfterCompletion: 'NONE',
    CreationDate: new Date(START),
    LastModificationDate: new Date(clock.now()),
  });
});

test('what was read and is written back is what was read', async () => {
  const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
  const time = fc.integer({ min: 0, max: 10 ** 9 }).map(seconds => new Date(START + 1000 * seconds));
  const input = fc.record({
    ScheduleExpression: fc.constantFrom('cron(7 * * * ? *)', 'rate(1 hour)'),
    ScheduleExpressionTimezone: optional(fc.constantFrom('UTC', 'Europe/Berlin')),
    State: optional(fc.constantFrom('ENABLED' as const, 'DISABLED' as const)),
    Description: optional(fc.string({ minLength: 1, maxLength: 20 })),
    KmsKeyArn: optional(fc.constant('arn:aws:kms:us-east-1:123456789012:key/k')),
    ActionAfterCompletion: optional(fc.constantFrom('NONE' as const, 'DELETE' as const)),
    StartDate: optional(time),
    EndDate: optional(time.map(date => new Date(date.getTime() + 10 ** 12))),
    Target: fc.record({
      Arn: fc.constant(MACHINE),
      RoleArn: fc.constant(ROLE),
      Input: optional(fc.json().filter(text => !/<aws|u003c/.test(text))),
      DeadLetterConfig: optional(fc.constant({ Arn: 'arn:aws:sqs:us-east-1:123456789012:q' })),
      RetryPolicy: optional(
        fc.record({
          MaximumEventAgeInSeconds: optional(fc.integer({ min: 60, max: 86_400 })),
          MaximumRetryAttempts: optional(fc.integer({ min: 0, max: 185 })),
        }),
      ),
    }),
  });
  await fc.assert(
    fc.asyncProperty(input, async over => {
      await put(over);
      const { $metadata: _of, ...first } = await get('tick');
      for (const [member, value] of Object.entries(over)) {
        if (value !== undefined)
          expect(first).toMatchObject({ [member]: JSON.parse(JSON.stringify(value), revived) });
      }
      const { Arn, CreationDate, LastModificationDate, ...rest } = first;
      await put(rest as UpdateScheduleInput);
      const { $metadata: _ofAgain, ...second } = await get('tick');
      expect(second).toEqual(first);
    }),
    { numRuns: 50 },
  );
});

/** Dates stay dates, and what is undefined is not there. */
const revived = (_key: string, value: unknown) =>
  typeof value === 'string' && /^\d{4,6}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? new Date(value) : value;

test.each<[string, Partial<UpdateScheduleInput>, string]>([
  ['a state', { State: 'PAUSED' as 'DISABLED' }, 'State: expected one of ENABLED, DISABLED, got "PAUSED"'],
  [
    'an old start date',
    { StartDate: new Date(START - 301_000) },
    'The StartDate you specify cannot be earlier than 5 minutes ago.',
  ],
  [
    'dates in the wrong order',
    { StartDate: new Date(START + 2000), EndDate: new Date(START + 1000) },
    'EndDate',
  ],
  ['an expression', { ScheduleExpression: 'rate(1 minutes)' }, 'rate(1 minute)'],
  [
    'a time zone',
    { ScheduleExpression: 'cron(0 * * * ? *)', ScheduleExpressionTimezone: 'Nowhere' },
    'Nowhere',
  ],
  ['no target', { Target: undefined as never }, 'Target: expected a value, got nothing'],
  [
    'a flexible window',
    { FlexibleTimeWindow: { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 5 } },
    'FlexibleTimeWindow.Mode: expected one of OFF',
  ],
  [
    'the parameters of another target',
    { Target: { Arn: MACHINE, RoleArn: ROLE, SqsParameters: {} } },
    'Target.SqsParameters',
  ],
  [
    'a policy out of bounds',
    { Target: { Arn: MACHINE, RoleArn: ROLE, RetryPolicy: { MaximumRetryAttempts: 186 } } },
    '0 to 185',
  ],
])('fails for %s, and leaves the schedule as it was', async (_, over, message) => {
  await put();
  const before = await get('tick');
  const failure = await put(over).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ValidationException);
  expect((failure as Error).message).toContain(message);
  expect({ ...(await get('tick')), $metadata: null }).toEqual({ ...before, $metadata: null });
});

test('a schedule or a group that is not there is ResourceNotFoundException', async () => {
  for (const [name, group, message] of [
    ['other', 'sweep', 'Schedule other does not exist.'],
    ['tick', 'other', 'Schedule group other does not exist.'],
    ['tick', 'default', 'Schedule tick does not exist.'],
  ] as const) {
    const failure = await get(name, group).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ResourceNotFoundException);
    expect(failure).toMatchObject({ message, $metadata: { httpStatusCode: 404 } });
    await expect(put({ Name: name, GroupName: group })).rejects.toBeInstanceOf(ResourceNotFoundException);
  }
});

test('schedules and groups are listed, by pages and by what they are', async () => {
  await put({ State: 'DISABLED' });
  const list = async (over: ListSchedulesInput) => {
    const { Schedules = [], NextToken } = await client.send(new ListSchedulesCommand(over));
    return [Schedules.map(({ Name }) => Name), NextToken];
  };
  expect(await list({})).toEqual([['hourly', 'hourly-2', 'tick'], undefined]);
  expect(await list({ State: 'DISABLED' })).toEqual([['tick'], undefined]);
  expect(await list({ GroupName: 'default' })).toEqual([[], undefined]);
  const [first, token] = await list({ NamePrefix: 'hourly', MaxResults: 1 });
  expect(first).toEqual(['hourly']);
  expect(await list({ NamePrefix: 'hourly', MaxResults: 1, NextToken: String(token) })).toEqual([
    ['hourly-2'],
    undefined,
  ]);
  const { ScheduleGroups } = await client.send(new ListScheduleGroupsCommand({}));
  expect(ScheduleGroups?.map(({ Name }) => Name)).toEqual(['default', 'sweep']);
});

test('what it does not have is told, and so is whoever asks from another host', async () => {
  const create = new CreateScheduleCommand({
    Name: 'new',
    ScheduleExpression: 'rate(1 hour)',
    FlexibleTimeWindow: { Mode: 'OFF' },
    Target: { Arn: MACHINE, RoleArn: ROLE },
  });
  await expect(client.send(create)).rejects.toMatchObject({ name: 'UnknownOperationException' });
  const { hostname, port } = new URL(server.endpoint);
  const status = await new Promise(resolve => {
    request({ hostname, port, path: '/schedules', headers: { host: 'example.org' } }, answer => {
      resolve(answer.resume().statusCode);
    }).end();
  });
  expect(status).toBe(403);
});
