import { setTimeout as sleep } from 'node:timers/promises';
import { readDuration, readTime } from '../../../local/testing/options.ts';
import { SteppedClock } from '../../../local/testing/stepped-clock.ts';

test.each([
  ['1ms', 1],
  ['90s', 90_000],
  ['10m', 600_000],
  ['2h', 7_200_000],
  ['1d', 86_400_000],
])('%s is %d milliseconds', (duration, milliseconds) => {
  expect(readDuration(duration)).toBe(milliseconds);
});

test.each(['', '10', 'm', '0s', '-1s', '1.5h', '10 m', '10min', '1h30m', '1234567890s'])(
  'refuses %j',
  text => {
    expect(() => readDuration(text)).toThrow(
      `duration: expected a whole number above 0 and ms, s, m, h or d, e.g. '10m', got ${JSON.stringify(text)}`,
    );
  },
);

test.each([[1_000], [new Date(1_000)], ['1970-01-01T00:00:01Z'], ['1970-01-01T01:00:01+01:00']])(
  'reads the time %s',
  time => {
    expect(readTime('at', time)).toBe(1_000);
  },
);

test.each(['2026-11-20T09:00:00', '2026-11-20', 'soon', Number.NaN, 0.5, new Date('soon')])(
  'refuses the time %s',
  time => {
    expect(() => readTime('at', time)).toThrow(
      /^at: expected a Date, epoch milliseconds, or ISO-8601 with a zone/,
    );
  },
);

const START = 1_000_000;

/** What happens on the clock, and when. */
function recorded(clock: SteppedClock) {
  const log: [string, number][] = [];
  return { log, at: (ms: number, name: string) => clock.schedule(ms, () => log.push([name, clock.now()])) };
}

test('time stands still but for steps, each of which does what falls due in it, its last millisecond too, and leaves the rest', async () => {
  const clock = new SteppedClock(START);
  const { log, at } = recorded(clock);
  at(1_000, 'last');
  at(1_001, 'next');
  at(0, 'first');
  clock.schedule(1_000, () => at(0, 'what follows at once'));
  await sleep(20);
  expect([log, clock.now()]).toEqual([[], START]);
  await clock.advance(1_000);
  expect(log).toEqual([
    ['first', START],
    ['last', START + 1_000],
    ['what follows at once', START + 1_000],
  ]);
  expect(clock.now()).toBe(START + 1_000);
  await clock.advance(1);
  expect(log.at(-1)).toEqual(['next', START + 1_001]);
});

test('time waits for real work, and passes until work ends', async () => {
  const clock = new SteppedClock(START);
  const ended = await clock.passUntil(async () => {
    await clock.sleep(60_000);
    await clock.busy(() => sleep(20));
    return clock.now();
  });
  expect(ended).toBe(START + 60_000);
  await sleep(5);
  expect(clock.now()).toBe(START + 60_000);
});

test('steps that are asked for at once are taken one after another, also after one that fails', async () => {
  const clock = new SteppedClock(START);
  const failing = clock.passUntil(async () => {
    await clock.sleep(10);
    throw new Error('no');
  });
  const steps = Promise.all([clock.advance(100), clock.advance(100)]);
  await expect(failing).rejects.toThrow('no');
  await steps;
  expect(clock.now()).toBe(START + 210);
});
