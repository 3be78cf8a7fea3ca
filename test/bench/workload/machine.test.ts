import { VirtualClock } from 'stepfunctions-emulator';
import { MachineWatch } from '../../../bench/workload/machine.ts';

const START = Date.parse('2026-11-20T09:00:00Z');

/** A machine that sleeps once for some time, beginning after a second. */
async function watched(sleepMs: number): Promise<MachineWatch> {
  const clock = new VirtualClock(START);
  const awake = clock.now.bind(clock);
  clock.now = () => (awake() < START + 1_000 ? awake() : awake() + sleepMs);
  const watch = new MachineWatch(clock);
  await clock.sleep(4_050);
  watch.stop();
  watch.stop();
  return watch;
}

test('a machine that has time loses none, and excuses nothing', async () => {
  const watch = await watched(49);
  expect(watch.stoodStillMs).toBe(0);
  expect(watch.excuses(START, START + 4_000, 1)).toBe(false);
});

test('one that stands still excuses as much, and anything near it when that was long enough for a tick', async () => {
  const short = await watched(900);
  expect(short.stoodStillMs).toBe(900);
  expect([900, 901].map(late => short.excuses(START, START + 4_000, late))).toEqual([true, false]);
  const long = await watched(20_000);
  const woken = START + 21_000;
  expect(long.longestStandstillMs(woken, woken + 1)).toBe(20_000);
  expect([woken + 120_000, woken + 120_001].map(due => long.excuses(due, due + 9, 9))).toEqual([true, false]);
  // What came before the standstill was not delayed by it.
  expect(long.excuses(START, START + 900, 9)).toBe(false);
});
