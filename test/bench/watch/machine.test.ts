import { VirtualClock } from 'stepfunctions-emulator';
import { type MachineTime, MachineWatch, machineTimeOf } from '../../../bench/watch/machine.ts';

const START = Date.parse('2026-11-20T09:00:00Z');
const NO_TICKS = new Map<number, number>();
const ALWAYS = { from: START, to: START + 3_600_000 };

/** A machine whose clocks a test moves: each step is a sample of the watch. */
class MadeUpMachine implements MachineTime {
  #wall = START;
  #monotonic = 0;
  #working = 0;
  #idle = 0;
  readonly #timers: { readonly ms: number; readonly callback: () => void; left: number }[] = [];

  wall = () => this.#wall;
  monotonic = () => this.#monotonic;
  every(ms: number, callback: () => void) {
    const timer = { ms, callback, left: ms };
    this.#timers.push(timer);
    return () => void this.#timers.splice(this.#timers.indexOf(timer), 1);
  }
  processors = () => [{ times: { user: this.#working, nice: 0, sys: 0, irq: 0, idle: this.#idle } }];

  /** Time passes; timers come at its end. */
  pass(ms: number, { wallMs = ms, busy = 0 }: { wallMs?: number; busy?: number } = {}): void {
    this.#wall += wallMs;
    this.#monotonic += ms;
    this.#working += busy * ms;
    this.#idle += (1 - busy) * ms;
    for (const timer of this.#timers) {
      timer.left -= ms;
      if (timer.left > 0) continue;
      timer.left = timer.ms;
      timer.callback();
    }
  }

  /** As on a machine that has time. */
  run(ms: number, busy = 0.5): void {
    for (let passed = 0; passed < ms; passed += 100) this.pass(100, { busy });
  }
}

function watched() {
  const machine = new MadeUpMachine();
  return { machine, watch: new MachineWatch(machine) };
}

test('a machine that has time loses none', () => {
  const { machine, watch } = watched();
  machine.run(10_000);
  machine.pass(149);
  watch.answered({ from: START, to: START + 200 });
  watch.stop();
  expect(watch.report()).toEqual({ stoodStillMs: 0, busyMs: 0, slowAnswersMs: 0, clockSetBackMs: 0 });
  expect(watch.lost(NO_TICKS)(ALWAYS)).toBe(0);
});

test.each([
  ['suspended: only the wall clock went on', 100],
  ['stopped, or kept by other work: both clocks went on', 40_100],
])('%s', (_name, monotonicMs) => {
  const { machine, watch } = watched();
  machine.run(5_000);
  machine.pass(monotonicMs, { wallMs: 40_100 });
  machine.run(1_000);
  expect(watch.report()).toMatchObject({ stoodStillMs: 40_000, clockSetBackMs: 0 });
  expect(watch.lost(NO_TICKS)({ from: START, to: START + 10_000 })).toBe(4_900);
  expect(watch.stoodStillMs({ from: START, to: START + 10_000 })).toBe(4_900);
});

test('a wait that slept too ends as much too late, for a minute afterwards', () => {
  const { machine, watch } = watched();
  machine.pass(100, { wallMs: 20_100 });
  const lost = watch.lost(NO_TICKS);
  const woken = START + 20_100;
  expect(lost({ from: woken + 60_000, to: woken + 90_000 })).toBe(20_000);
  expect(lost({ from: woken + 60_001, to: woken + 90_000 })).toBe(0);
  expect(lost({ from: woken - 5_000, to: woken + 30_000 })).toBe(20_000);
});

test('a standstill that lasts to the end is seen', () => {
  const { machine, watch } = watched();
  machine.pass(0, { wallMs: 3_000 });
  watch.stop();
  watch.stop();
  expect(watch.report().stoodStillMs).toBe(2_900);
});

test('a clock that is set back is told from one that is corrected', () => {
  const { machine, watch } = watched();
  machine.pass(100, { wallMs: -800 });
  expect(watch.report().clockSetBackMs).toBe(0);
  machine.pass(100, { wallMs: -30_000 });
  expect(watch.report()).toMatchObject({ clockSetBackMs: 30_100, stoodStillMs: 0 });
});

test('processors that work all the time, second by second', () => {
  const { machine, watch } = watched();
  machine.run(1_000, 0.89);
  machine.run(2_000, 0.95);
  machine.run(1_000, 0.2);
  expect(watch.report().busyMs).toBe(2_000);
  // Half of it: what is shared is not lost.
  expect(watch.lost(NO_TICKS)(ALWAYS)).toBe(1_000);
});

test('answers that take longer than usual count from there, and no moment counts twice', () => {
  const { watch } = watched();
  watch.answered({ from: START, to: START + 1_200 });
  watch.answered({ from: START + 100, to: START + 1_000 });
  watch.answered({ from: START + 3_000, to: START + 3_700 });
  expect(watch.report().slowAnswersMs).toBe(1_500);
  expect(watch.lost(NO_TICKS)({ from: START + 1_000, to: START + 3_500 })).toBe(500);
});

describe('a tick that falls into a standstill', () => {
  const minute = (count: number) => START + count * 60_000;
  const standstill = (wallMs: number) => {
    const { machine, watch } = watched();
    machine.run(50_000);
    machine.pass(100, { wallMs });
    return watch;
  };

  test('and comes late: until it came', () => {
    const lost = standstill(20_100).lost(new Map([[minute(1), minute(1) + 12_000]]));
    expect(lost(ALWAYS)).toBe(minute(1) + 12_000 - (START + 50_100));
  });

  test('and never comes: to the end of the minute that it owned', () => {
    const lost = standstill(20_100).lost(NO_TICKS);
    expect(lost(ALWAYS)).toBe(minute(3) - (START + 50_100));
  });

  test('but not one that the machine had time for', () => {
    const lost = standstill(5_100).lost(NO_TICKS);
    expect(lost(ALWAYS)).toBe(5_000);
  });
});

test('on a virtual clock no time is lost', async () => {
  const clock = new VirtualClock(START);
  const watch = new MachineWatch(machineTimeOf(clock));
  await clock.sleep(300_000);
  watch.stop();
  expect(watch.report()).toEqual({ stoodStillMs: 0, busyMs: 0, slowAnswersMs: 0, clockSetBackMs: 0 });
});
