import { firstTtlOf } from '../../../lab/experiments/support/live.ts';

// Schedules begin with the minute after the start; that tick owns the minute after its own.
test.each([
  ['09:00:00.000', '09:02:00'],
  ['09:00:30.000', '09:02:00'],
  ['09:00:54.999', '09:02:00'],
  ['too late for the next tick', '09:03:00', '09:00:56.000'],
])('the first item expires when the first tick owns it: %s', (name, expected, start = name) => {
  const startMs = Date.parse(`2026-11-20T${start}Z`);
  expect(new Date(firstTtlOf(startMs) * 1000).toISOString()).toBe(`2026-11-20T${expected}.000Z`);
});
