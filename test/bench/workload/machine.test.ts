import { VirtualClock } from 'stepfunctions-emulator';
import { MachineWatch } from '../../../bench/workload/machine.ts';

const START = Date.parse('2026-11-20T09:00:00Z');

/** A machine that sleeps once for some time, beginning after a second, and whose processors are busy to this share. */
async function watched({ sleepMs = 0, busy = 0.5 } = {}): Promise<MachineWatch> {
  const clock = new VirtualClock(START);
  const awake = clock.now.bind(clock);
  clock.now = () => (awake() < START + 1_000 ? awake() : awake() + sleepMs);
  const watch = new MachineWatch(clock, () => {
    const ms = awake() - START;
    return [{ times: { user: busy * ms, nice: 0, sys: 0, irq: 0, idle: (1 - busy) * ms } }];
  });
  await clock.sleep(4_050);
  watch.stop();
  watch.stop();
  return watch;
}

test('a machine that has time loses none, and excuses nothing', async () => {
  const watch = await watched({ busy: 0.89, sleepMs: 49 });
  expect(watch.report()).toEqual({ stoodStillMs: 0, busyMs: 0 });
  expect(watch.excuses(START, START + 4_000, 1)).toBe(false);
});

test('one that stands still excuses as much, and anything near it when that was long enough for a tick', async () => {
  const short = await watched({ sleepMs: 900 });
  expect(short.report()).toEqual({ stoodStillMs: 900, busyMs: 0 });
  expect([900, 901].map(late => short.excuses(START, START + 4_000, late))).toEqual([true, false]);
  const long = await watched({ sleepMs: 20_000 });
  const woken = START + 21_000;
  expect(long.longestStandstillMs(woken, woken + 1)).toBe(20_000);
  expect([woken + 120_000, woken + 120_001].map(due => long.excuses(due, due + 9, 9))).toEqual([true, false]);
  // What came before the standstill was not delayed by it.
  expect(long.excuses(START, START + 999, 9)).toBe(false);
});

test('one whose processors work all the time excuses half of it', async () => {
  const watch = await watched({ busy: 0.95 });
  expect(watch.report()).toEqual({ stoodStillMs: 0, busyMs: 4_000 });
  expect([2_000, 2_001].map(late => watch.excuses(START, START + 4_000, late))).toEqual([true, false]);
});
