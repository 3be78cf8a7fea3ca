import { GetScheduleOutput$, UpdateScheduleInput$ } from '@aws-sdk/client-scheduler';
import fc from 'fast-check';
import {
  changeSchedules,
  type FoundSchedule,
  isChanged,
  readSchedules,
  wholeSchedule,
} from '../../../cli/aws/schedules.ts';
import { limitOfInput, withLimit } from '../../../cli/schedule-limit.ts';
import { type Firing, pauseOf } from '../../../cli/schedules.ts';
import { ApiRequestError, LocalApiServer } from '../../../local/api-server.ts';
import { type ApiHandler, restJson } from '../../../local/rest-json.ts';
import { schedulerClient } from '../../support/scheduler-client.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');

/** Schedules with and without everything that one can have. */
const SCHEDULES: fc.Arbitrary<FoundSchedule> = fc
  .record(
    {
      Name: fc.constant('tick'),
      GroupName: fc.constant('group'),
      ScheduleExpression: fc.constant('cron(* * * * ? *)'),
      FlexibleTimeWindow: fc.constantFrom({ Mode: 'OFF' }, { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 5 }),
      Target: fc.record(
        {
          Arn: fc.string(),
          RoleArn: fc.string(),
          Input: fc.constant('{"scheduledTime":"<aws.scheduler.scheduled-time>"}'),
          DeadLetterConfig: fc.record({ Arn: fc.string() }),
          RetryPolicy: fc.record({ MaximumEventAgeInSeconds: fc.nat(), MaximumRetryAttempts: fc.nat() }),
          EcsParameters: fc.record({ TaskDefinitionArn: fc.string() }),
          SqsParameters: fc.record({ MessageGroupId: fc.string() }),
        },
        { requiredKeys: ['Arn', 'RoleArn', 'Input'] },
      ),
      ScheduleExpressionTimezone: fc.constantFrom('UTC', 'Europe/Berlin'),
      State: fc.constantFrom('ENABLED', 'DISABLED'),
      Description: fc.string(),
      KmsKeyArn: fc.string(),
      ActionAfterCompletion: fc.constantFrom('NONE', 'DELETE'),
      StartDate: fc.integer({ min: -1000, max: 1000 }).map(seconds => new Date(NOW + seconds * 1000)),
      EndDate: fc.integer({ min: 2000, max: 3000 }).map(seconds => new Date(NOW + seconds * 1000)),
      Arn: fc.string(),
      CreationDate: fc.constant(new Date(NOW)),
      LastModificationDate: fc.constant(new Date(NOW)),
    },
    { requiredKeys: ['Name', 'ScheduleExpression', 'FlexibleTimeWindow', 'Target'] },
  )
  .map(schedule => schedule as FoundSchedule);

test('everything that a schedule has is written back, but for a start date that has passed', () => {
  fc.assert(
    fc.property(SCHEDULES, found => {
      const { Arn, CreationDate, LastModificationDate, StartDate, ...kept } = found;
      const isAhead = StartDate !== undefined && StartDate.getTime() > NOW;
      expect(wholeSchedule({ found, change: {} }, NOW)).toEqual({ ...kept, ...(isAhead && { StartDate }) });
    }),
  );
});

test('a change changes what it names, and nothing else', () => {
  const start = new Date(NOW + 1000);
  fc.assert(
    fc.property(SCHEDULES, found => {
      const kept = wholeSchedule({ found, change: {} }, NOW);
      const changed = wholeSchedule(
        { found, change: { state: 'ENABLED', startDate: start, input: '{}' } },
        NOW,
      );
      expect(changed).toEqual({
        ...kept,
        State: 'ENABLED',
        StartDate: start,
        Target: { ...found.Target, Input: '{}' },
      });
      const { StartDate: _ahead, ...atOnce } = kept;
      expect(wholeSchedule({ found, change: { startDate: null } }, NOW)).toEqual(atOnce);
      expect(isChanged({ found, change: {} })).toBe(false);
      expect(isChanged({ found, change: { input: '{}' } })).toBe(true);
      expect(isChanged({ found, change: { startDate: null } })).toBe(found.StartDate !== undefined);
    }),
  );
});

test('the SDK knows nothing more of a schedule than is written back', () => {
  const membersOf = (schema: readonly unknown[]) => schema[4] as string[];
  const answered = membersOf(GetScheduleOutput$);
  const readOnly = ['Arn', 'CreationDate', 'LastModificationDate'];
  expect(answered).toEqual(expect.arrayContaining(readOnly));
  expect(answered.filter(member => !readOnly.includes(member)).sort()).toEqual(
    membersOf(UpdateScheduleInput$)
      .filter(member => member !== 'ClientToken')
      .sort(),
  );
});

describe('several schedules', () => {
  /** By name; a PUT of one of these names fails. */
  const states = new Map<string, string>();
  let failing: readonly string[] = [];
  let puts: string[] = [];
  const handle: ApiHandler = ({ method, path: [, name], body }) => {
    if (name === undefined) return { Schedules: [...states.keys()].map(Name => ({ Name })) };
    if (method === 'PUT') {
      puts.push(name);
      const { State } = JSON.parse(body) as { State: string };
      if (failing.includes(`${name} ${State}`)) throw new ApiRequestError('ConflictException', 'no', 409);
      states.set(name, State);
      return { ScheduleArn: name };
    }
    const Target = { Arn: 'a', RoleArn: 'r', Input: '{}' };
    const FlexibleTimeWindow = { Mode: 'OFF' };
    return { Name: name, State: states.get(name), ScheduleExpression: 'e', FlexibleTimeWindow, Target };
  };
  let server: LocalApiServer;
  let client: ReturnType<typeof schedulerClient>;
  beforeAll(async () => {
    server = await LocalApiServer.start(restJson(handle));
    client = schedulerClient(server.endpoint);
  });
  afterAll(async () => {
    client?.destroy();
    await server?.stop();
  });
  beforeEach(() => {
    for (const name of ['tick', 'reconcile', 'reconcile-2']) states.set(name, 'ENABLED');
    failing = [];
    puts = [];
  });
  const disable = async () => {
    const found = await readSchedules(client, 'group', 'us-east-1');
    const changes = found.map(each => ({ found: each, change: { state: 'DISABLED' } as const }));
    return changeSchedules(client, changes, NOW);
  };

  test('are changed once', async () => {
    expect(await disable()).toBe(3);
    expect([...states.values()]).toEqual(['DISABLED', 'DISABLED', 'DISABLED']);
    expect(await disable()).toBe(0);
    expect(puts).toHaveLength(3);
  });

  test('are put back when one fails, and changed by the same once more', async () => {
    failing = ['tick DISABLED'];
    await expect(disable()).rejects.toThrow(
      'schedule tick: expected it to be changed, got ConflictException: no; the other schedules are as they were. Mend ' +
        'that, and run the same command again.',
    );
    expect([...states.values()]).toEqual(['ENABLED', 'ENABLED', 'ENABLED']);
    failing = [];
    expect(await disable()).toBe(3);
  });

  test('that cannot be put back are named', async () => {
    failing = ['tick DISABLED', 'reconcile ENABLED'];
    await expect(disable()).rejects.toThrow(
      'these are changed already, and could not be put back: reconcile.',
    );
    expect(Object.fromEntries(states)).toEqual({
      tick: 'ENABLED',
      reconcile: 'DISABLED',
      'reconcile-2': 'ENABLED',
    });
    failing = [];
    expect(await disable()).toBe(2);
  });
});

test.each<[string, readonly Firing[], unknown]>([
  ['on', [{ state: 'ENABLED', startDate: undefined }], 'on'],
  ['on after a pause that has ended', [{ state: 'ENABLED', startDate: new Date(NOW) }], 'on'],
  ['off', [{ state: 'DISABLED', startDate: new Date(NOW + 1) }], 'off'],
  ['off for a while', [{ state: 'ENABLED', startDate: new Date(NOW + 1) }], { until: new Date(NOW + 1) }],
  [
    'off for a while, all of them',
    [1, 1].map(ahead => ({ state: 'ENABLED', startDate: new Date(NOW + ahead) })),
    { until: new Date(NOW + 1) },
  ],
  [
    'off for different times',
    [1, 2].map(ahead => ({ state: 'ENABLED', startDate: new Date(NOW + ahead) })),
    'mixed',
  ],
  ['off, as far as anybody knows', [{ state: undefined }], 'off'],
  ['none', [], 'off'],
  [
    'mixed',
    [
      { state: 'ENABLED', startDate: undefined },
      { state: 'DISABLED', startDate: undefined },
    ],
    'mixed',
  ],
])('schedules can be %s', (_how, schedules, expected) => {
  expect(pauseOf(schedules, NOW)).toEqual(expected);
});

test('a limit is one more field of the input, and taken out again it is what it was', () => {
  const Input = '{"scheduledTime":"<aws.scheduler.scheduled-time>","lookbackMinutes":1440}';
  const schedule = (input: string) => ({ Name: 'tick', Target: { Arn: 'a', RoleArn: 'r', Input: input } });
  const limited = withLimit(schedule(Input), 200);
  expect(limited).toBe(Input.replace('}', ',"maxDeletesPerSecond":200}'));
  expect(limitOfInput(limited)).toBe(200);
  expect(limitOfInput(withLimit(schedule(limited), 5))).toBe(5);
  expect(withLimit(schedule(limited), undefined)).toBe(Input);
  expect(limitOfInput(Input)).toBeUndefined();
  for (const broken of ['', '[]', '"x"']) {
    expect(() => withLimit(schedule(broken), 1)).toThrow('schedule tick: expected a JSON object');
  }
});
