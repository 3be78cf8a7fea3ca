import { VirtualClock } from 'stepfunctions-emulator';
import { type ScheduleResource, Schedules, type SchedulesOptions } from '../../local/schedules.ts';

const at = (time: string) => Date.parse(`2026-11-20T${time}Z`);
const timeOf = (epochMs: number) => new Date(epochMs).toISOString().slice(11, 19);

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
  enabled: true,
  targetArn: 'arn:aws:states:us-east-1:123456789012:stateMachine:sweep',
  roleArn: 'arn:aws:iam::123456789012:role/x',
  input: '{"scheduledTime":"<aws.scheduler.scheduled-time>"}',
  ...over,
});

function scheduled(options: Partial<SchedulesOptions> = {}) {
  const clock = new SettableClock(at('09:00:30'));
  /** The minute of what fired, and when it did. */
  const fired: [minute: string, when: string][] = [];
  const inputs: string[] = [];
  const schedules = new Schedules({
    clock,
    schedules: [schedule(), schedule({ name: 'off', enabled: false })],
    fire({ scheduledTime, input }) {
      fired.push([timeOf(scheduledTime), timeOf(clock.now())]);
      inputs.push(input);
    },
    onError: error => {
      throw error;
    },
    ...options,
  });
  schedules.start();
  return { clock, fired, inputs, schedules };
}

test('fires what is enabled at each minute with its time in the input, until it is stopped', async () => {
  const { clock, fired, inputs, schedules } = scheduled();
  expect(schedules.upcoming().map(({ schedule: { name }, at: time }) => [name, timeOf(time)])).toEqual([
    ['tick', '09:01:00'],
  ]);
  await clock.sleep(180_000);
  schedules.stop();
  await clock.sleep(600_000);
  const minutes = ['09:01:00', '09:02:00', '09:03:00'];
  expect(fired).toEqual(minutes.map(each => [each, each]));
  expect(inputs).toEqual(minutes.map(each => `{"scheduledTime":"2026-11-20T${each}Z"}`));
});

test.each<[how: string, to: string, fired: readonly [minute: string, when: string][]]>([
  [
    'an hour back, it goes on with the new time',
    '08:01:40',
    [
      ['09:02:00', '08:02:00'],
      ['08:03:00', '08:03:00'],
    ],
  ],
  [
    'hours ahead, as after a sleep, the minute that it waited for fires and none of those it missed',
    '17:01:40',
    [
      ['09:02:00', '17:02:00'],
      ['17:03:00', '17:03:00'],
    ],
  ],
])('when the wall clock is set %s', async (_how, to, expected) => {
  const { clock, fired, schedules } = scheduled();
  await clock.sleep(at('09:01:40') - at('09:00:30'));
  clock.set(at(to));
  await clock.sleep(90_000);
  schedules.stop();
  expect(fired).toEqual([['09:01:00', '09:01:00'], ...expected]);
});

test('a target that cannot be started is told, and the next minute fires', async () => {
  const errors: string[] = [];
  const { clock, schedules } = scheduled({
    fire: () => {
      throw new Error('no such machine');
    },
    onError: (error, firing) => errors.push(`${timeOf(firing.scheduledTime)} ${(error as Error).message}`),
  });
  await clock.sleep(120_000);
  schedules.stop();
  expect(errors).toEqual(['09:01:00 no such machine', '09:02:00 no such machine']);
});

test('stopped by what it fires, it fires nothing more, neither beside nor next', async () => {
  let fired = 0;
  const { clock, schedules } = scheduled({
    schedules: [schedule(), schedule({ name: 'beside' })],
    fire: () => {
      fired += 1;
      schedules.stop();
    },
  });
  await clock.sleep(600_000);
  expect(fired).toBe(1);
});
