import { VirtualClock } from '../../local/clock.ts';
import { type Firing, LocalScheduler, type SchedulerOptions } from '../../local/scheduler.ts';
import type { ScheduleResource } from '../../local/terraform.ts';

const START = Date.parse('2026-11-20T09:00:30Z');

const schedule = (over: Partial<ScheduleResource> = {}): ScheduleResource => ({
  address: 'aws_scheduler_schedule.tick',
  name: 'tick',
  arn: 'arn:aws:scheduler:us-east-1:123456789012:schedule/default/tick',
  expression: 'cron(* * * * ? *)',
  timezone: 'UTC',
  enabled: true,
  targetArn: 'arn:aws:states:us-east-1:123456789012:stateMachine:sweep',
  roleArn: 'arn:aws:iam::123456789012:role/x',
  input: '{"scheduledTime":"<aws.scheduler.scheduled-time>"}',
  ...over,
});

/** Runs schedules for `minutes` of a clock of its own; what was fired, and when. */
async function run(
  minutes: number,
  schedules: ScheduleResource[],
  options: Partial<SchedulerOptions> = {},
): Promise<{ at: string; firing: Firing }[]> {
  const clock = new VirtualClock(START);
  const fired: { at: string; firing: Firing }[] = [];
  const scheduler = new LocalScheduler({
    clock,
    schedules,
    fire: firing => fired.push({ at: new Date(clock.now()).toISOString(), firing }),
    onError: error => {
      throw error;
    },
    ...options,
  });
  scheduler.start();
  await clock.sleep(minutes * 60_000);
  scheduler.stop();
  await clock.sleep(600_000);
  return fired;
}

test('fires on time with the placeholders filled in, until it is stopped', async () => {
  const fired = await run(3, [
    schedule({
      input:
        '{"t":"<aws.scheduler.scheduled-time>","id":"<aws.scheduler.execution-id>","n":"<aws.scheduler.attempt-number>","arn":"<aws.scheduler.schedule-arn>","other":"<x>"}',
    }),
  ]);
  expect(fired.map(f => f.at)).toEqual([
    '2026-11-20T09:01:00.000Z',
    '2026-11-20T09:02:00.000Z',
    '2026-11-20T09:03:00.000Z',
  ]);
  expect(JSON.parse(fired[0]?.firing.input ?? '')).toEqual({
    t: '2026-11-20T09:01:00Z',
    id: expect.stringMatching(/^[0-9a-f]{16}$/),
    n: '1',
    arn: 'arn:aws:scheduler:us-east-1:123456789012:schedule/default/tick',
    other: '<x>',
  });
  expect(new Set(fired.map(f => f.firing.executionId)).size).toBe(3);
});

test('runs several schedules, leaves out disabled ones, and gives {} where there is no input', async () => {
  const { input, ...without } = schedule({ name: 'hourly', expression: 'cron(2 * * * ? *)' });
  const fired = await run(3, [schedule({ enabled: false, name: 'off' }), without]);
  expect(fired.map(f => [f.at, f.firing.schedule.name, f.firing.input])).toEqual([
    ['2026-11-20T09:02:00.000Z', 'hourly', '{}'],
  ]);
});

test('deliveries can be late, left out and doubled, and keep the scheduled time', async () => {
  const delays = [[45_000], [], [0, 70_000], [0]];
  let i = 0;
  const fired = await run(5, [schedule()], { deliveries: () => delays[i++] ?? [] });
  expect(
    fired.map(f => [f.at.slice(11, 19), JSON.parse(f.firing.input).scheduledTime.slice(11, 19)]),
  ).toEqual([
    ['09:01:45', '09:01:00'],
    ['09:03:00', '09:03:00'],
    ['09:04:00', '09:04:00'],
    ['09:04:10', '09:03:00'],
  ]);
});

test('a target that cannot be started is reported and does not stop the schedule', async () => {
  const errors: string[] = [];
  await run(2, [schedule()], {
    fire: () => {
      throw new Error('no such machine');
    },
    onError: (error, firing) => errors.push(`${(error as Error).message} ${firing.executionId}`),
  });
  expect(errors).toEqual(['no such machine 0000000000000001', 'no such machine 0000000000000002']);
});

test('stopped by what it fires, it fires nothing more, neither doubled nor next', async () => {
  const clock = new VirtualClock(START);
  let fired = 0;
  const scheduler = new LocalScheduler({
    clock,
    schedules: [schedule()],
    fire: () => {
      fired += 1;
      scheduler.stop();
    },
    onError: error => {
      throw error;
    },
    deliveries: () => [0, 0, 5_000],
  });
  scheduler.start();
  await clock.sleep(600_000);
  expect(fired).toBe(1);
});

test('says what comes next', () => {
  const scheduler = new LocalScheduler({
    clock: new VirtualClock(START),
    schedules: [schedule()],
    fire: () => {},
    onError: () => {},
  });
  expect(scheduler.upcoming().map(u => u.at)).toEqual([Date.parse('2026-11-20T09:01:00Z')]);
});

test.each([
  [
    'an unknown placeholder',
    '{"t":"<aws.scheduler.time>"}',
    /expected one of aws\.scheduler\.schedule-arn, .* got "<aws\.scheduler\.time>"/,
  ],
  [
    'a placeholder that Fn.jsonencode escaped',
    '{"t":"\\u003caws.scheduler.scheduled-time\\u003e"}',
    /use JSON\.stringify instead of Fn\.jsonencode/,
  ],
])('fails for %s', (_, input, expected) => {
  const make = () =>
    new LocalScheduler({
      clock: new VirtualClock(START),
      schedules: [schedule({ input })],
      fire: () => {},
      onError: () => {},
    });
  expect(make).toThrow(expected);
  expect(make).toThrow('aws_scheduler_schedule.tick.target.input: ');
});
