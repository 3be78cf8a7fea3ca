import { everyMinute } from '../../bench/lag/every-minute.ts';

const NINE = Date.parse('2026-11-20T09:00:00Z');

beforeEach(() => jest.useFakeTimers({ now: NINE + 30_000 }));
afterEach(() => jest.useRealTimers());

test('acts at every full minute, from the next one on, until it is ended', async () => {
  const minutes: number[] = [];
  const end = everyMinute(
    async minuteMs => {
      minutes.push(minuteMs);
    },
    () => {},
  );
  await jest.advanceTimersByTimeAsync(150_000);
  expect(minutes).toEqual([NINE + 60_000, NINE + 120_000, NINE + 180_000]);
  await end();
  await jest.advanceTimersByTimeAsync(120_000);
  expect(minutes).toHaveLength(3);
});

test('hands over what fails, and goes on', async () => {
  const errors: unknown[] = [];
  const end = everyMinute(
    () => Promise.reject(new Error('busy')),
    error => errors.push(error),
  );
  await jest.advanceTimersByTimeAsync(90_000);
  expect(errors).toHaveLength(2);
  await end();
});

test('its end waits for what is under way', async () => {
  let finish = () => {};
  const end = everyMinute(
    () =>
      new Promise<void>(resolve => {
        finish = resolve;
      }),
    () => {},
  );
  await jest.advanceTimersByTimeAsync(30_000);
  let ended = false;
  const ending = end().then(() => {
    ended = true;
  });
  await jest.advanceTimersByTimeAsync(0);
  expect(ended).toBe(false);
  finish();
  await ending;
});
