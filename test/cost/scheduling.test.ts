import { dollarsPerEvent, dollarsPerJob } from '../../cost/scheduling.ts';

/** A call and 25 ms of 512 MB: $0.20 and $0.1667 for a million. */
const MADE = 0.2 + 0.025 * 0.5 * 13.3334;

test.each([
  ['a function', 0],
  ['an event bus', 1],
  ['a queue', 1.2],
  ['a FIFO queue', 1.5],
] as const)('a million events to %s cost what makes them and $%d', (destination, dollars) => {
  expect(dollarsPerEvent(destination) * 1e6).toBeCloseTo(MADE + dollars, 6);
});

test("a job costs its write, its share of the table's month, and its event", () => {
  const job = dollarsPerJob('an event bus', { jobsPerMonth: 2e6, tableDollars: 20 });
  expect(job * 1e6).toBeCloseTo(0.625 + 10 + MADE + 1, 6);
});
