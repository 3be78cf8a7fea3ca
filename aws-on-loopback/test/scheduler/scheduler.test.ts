import { VirtualClock } from 'stepfunctions-emulator';
import type { ScheduleResource } from '../../src/scheduler/schedule.ts';
import { type Firing, LocalScheduler, type SchedulerOptions } from '../../src/scheduler/scheduler.ts';

const START = Date.parse('2026-11-20T09:00:30Z');

/** A virtual clock whose time can be set anew, as a machine's can, while what has been scheduled takes as long as before. */
class SettableClock extends VirtualClock {
  #ahead = 0;
  override now(): number {
    return super.now() + this.#ahead;
  }
  set(now: number): void {
    this.#ahead += now - this.now();
  }
}

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

describe('when the wall clock is set anew', () => {
  const HOUR = 3_600_000;
  const at = (time: string) => Date.parse(`2026-11-20T${time}Z`);

  /** The times of what fires over `minutes`, as the schedule has it and as the clock shows it then. */
  async function runWith(
    { from, jumpAt, by, minutes }: { from: string; jumpAt: string; by: number; minutes: number },
    over: Partial<ScheduleResource> = {},
  ): Promise<[scheduled: string, fired: string][]> {
    const clock = new SettableClock(at(from));
    const fired: [string, string][] = [];
    const scheduler = new LocalScheduler({
      clock,
      schedules: [schedule(over)],
      fire: ({ scheduledTime }) => {
        const times = [scheduledTime, clock.now()].map(time => new Date(time).toISOString().slice(11, 19));
        fired.push(times as [string, string]);
      },
      onError: error => {
        throw error;
      },
    });
    scheduler.start();
    await clock.sleep(at(jumpAt) - at(from));
    clock.set(clock.now() + by);
    await clock.sleep(minutes * 60_000);
    scheduler.stop();
    return fired;
  }
  const both = (...times: string[]) => times.map(time => [time, time]);

  test('an hour back, it goes on with the new time', async () => {
    const fired = await runWith({ from: '09:00:30', jumpAt: '09:01:40', by: -HOUR, minutes: 2 });
    expect(fired).toEqual(both('09:01:00', '08:02:00', '08:03:00'));
  });

  test('a few seconds back, the minute that has just fired does not fire again', async () => {
    const fired = await runWith({ from: '09:00:30', jumpAt: '09:01:02', by: -5_000, minutes: 2 });
    expect(fired).toEqual(both('09:01:00', '09:02:00'));
  });

  test('a few seconds back before the minute, it waits for it', async () => {
    const fired = await runWith({ from: '09:00:30', jumpAt: '09:00:58', by: -10_000, minutes: 1 });
    expect(fired).toEqual(both('09:01:00'));
  });

  test('half an hour back, an hourly schedule that has just fired does not fire again', async () => {
    const hourly = { expression: 'cron(0 * * * ? *)' };
    const fired = await runWith({ from: '08:59:30', jumpAt: '09:01:00', by: -HOUR / 2, minutes: 90 }, hourly);
    expect(fired).toEqual(both('09:00:00', '10:00:00'));
  });

  test('hours ahead, as after a sleep, it fires the minute that it waited for and none of those it missed', async () => {
    const fired = await runWith({ from: '09:00:30', jumpAt: '09:01:40', by: 8 * HOUR, minutes: 2 });
    const [, late, ...rest] = fired;
    expect(fired[0]).toEqual(['09:01:00', '09:01:00']);
    expect(late?.[0]).toBe('09:02:00');
    expect(late?.[1]).toMatch(/^17:01:4[01]$/); // within a second or so of the jump
    expect(rest).toEqual(both('17:02:00', '17:03:00'));
  });

  test('before it was started, a rate keeps its rhythm', async () => {
    const rate = { expression: 'rate(5 minutes)' };
    const fired = await runWith({ from: '09:00:30', jumpAt: '09:02:00', by: -HOUR, minutes: 9 }, rate);
    expect(fired).toEqual(both('08:05:30', '08:10:30'));
  });
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

describe('a schedule that is changed while it runs', () => {
  const at = (time: string) => Date.parse(`2026-11-20T${time}Z`);

  /** The times of what fires from 09:00:30 to the end, with changes at their times. */
  async function runChanged(
    end: string,
    changes: readonly (readonly [string, Partial<ScheduleResource>])[],
    over: Partial<ScheduleResource> = {},
  ): Promise<string[]> {
    const clock = new VirtualClock(START);
    const fired: string[] = [];
    const scheduler = new LocalScheduler({
      clock,
      schedules: [schedule(over)],
      fire: ({ input }) => fired.push(`${new Date(clock.now()).toISOString().slice(11, 19)} ${input}`),
      onError: error => {
        throw error;
      },
    });
    scheduler.start();
    for (const [time, change] of changes) {
      await clock.sleep(at(time) - clock.now());
      scheduler.update({ ...(scheduler.schedules[0] ?? schedule()), ...change });
    }
    await clock.sleep(at(end) - clock.now());
    scheduler.stop();
    return fired;
  }
  const named = (input: string) => ({ input });

  test('is off until it is on again, and has its new input', async () => {
    const fired = await runChanged(
      '09:06:10',
      [
        ['09:01:20', { enabled: false }],
        ['09:04:40', { enabled: true }],
        ['09:05:20', named('"b"')],
      ],
      named('"a"'),
    );
    expect(fired).toEqual(['09:01:00 "a"', '09:05:00 "a"', '09:06:00 "b"']);
  });

  test('does not fire before its start date or after its end date, and on both', async () => {
    const dates = { startDate: at('09:03:00'), endDate: at('09:05:00') };
    const times = ['09:03:00 "a"', '09:04:00 "a"', '09:05:00 "a"'];
    expect(await runChanged('09:08:00', [['09:00:40', dates]], named('"a"'))).toEqual(times);
    expect(await runChanged('09:08:00', [], { ...named('"a"'), ...dates })).toEqual(times);
  });

  test('by a rate begins at its start date', async () => {
    const rate = { ...named('"a"'), expression: 'rate(2 minutes)', startDate: at('09:02:10') };
    expect(await runChanged('09:05:00', [], rate)).toEqual(['09:02:10 "a"', '09:04:10 "a"']);
  });

  test('that has fired in this very moment does not fire twice', async () => {
    const fired = await runChanged('09:02:30', [['09:01:00', named('"b"')]], named('"a"'));
    expect(fired).toEqual(['09:01:00 "a"', '09:02:00 "b"']);
  });

  test('fails when it can not be read, and stays as it was', async () => {
    const scheduler = new LocalScheduler({
      clock: new VirtualClock(START),
      schedules: [schedule()],
      fire: () => {},
      onError: () => {},
    });
    expect(() => scheduler.update(schedule({ expression: 'never' }))).toThrow('expected cron(');
    expect(() => scheduler.update(schedule({ arn: 'other' }))).toThrow('expected the ARN of a schedule');
    expect(scheduler.schedules).toEqual([schedule()]);
  });
});
