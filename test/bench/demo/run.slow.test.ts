/** @jest-environment ./test/support/dynamodb-environment.ts */
import type { Moment } from '../../../bench/demo/live/moment.ts';
import { SESSION_DATA } from '../../support/configs.ts';
import { deployedWith, JOB_STARTED, judgedJob, runJob, SleepingClock } from '../../support/main-job.ts';

// Two seconds each on a machine that has time.
jest.setTimeout(90_000);

// Other ways to be broken: npm run test:slow -- test/start.
test('a precision of 60 that is deployed where the configuration says 1 is broken', async () => {
  const { status, notKept, maxLagMs, printed } = await judgedJob(deployedWith({ precision: 'minute' }));
  expect({ status, notKept }).toEqual({ status: 1, notKept: { goneInTime: 'broken' } });
  expect(maxLagMs).toBeGreaterThan(50_000);
  expect(printed).toMatch(/✗ gone in time/);
  expect(printed).toMatch(
    /Not as promised:\n {2}✗ \d+ deletions came too late, though this machine had time for them; the latest of all by 5\d\.\d s/,
  );
  expect(printed).not.toContain('Every promise was kept');
});

test('a machine that slept is said to have slept, and what came late is not decided', async () => {
  // Over the beginning of a minute, whose tick comes late.
  const clock = new SleepingClock(JOB_STARTED, Date.parse('2026-11-20T09:01:40Z'), 45_000);
  const { status, notKept, maxLagMs, machine, printed } = await judgedJob({ clock });
  expect({ status, notKept }).toEqual({ status: 3, notKept: { goneInTime: 'undecided' } });
  expect(maxLagMs).toBeGreaterThan(30_000);
  expect(machine.stoodStillMs).toBeGreaterThan(44_000);
  expect(printed).toMatch(/\? gone in time/);
  expect(printed).toMatch(/This machine: it, or this process, stood still for 4[45]\.\d s/);
  expect(printed).not.toMatch(/✗|Every promise was kept/);
});

test('on a terminal sessions are seen within five seconds, first as what is there and then as what was deleted', async () => {
  const moments: Moment[] = [];
  await runJob([SESSION_DATA], { rate: 20, show: moment => moments.push(moment) });
  const [first] = moments;
  const written = moments.find(({ tally }) => tally.written > 0);
  expect(Number(written?.now) - Number(first?.now)).toBeLessThanOrEqual(5_000);
  expect(written?.seconds.some(({ there }) => there > 0)).toBe(true);
  expect(moments.at(-1)?.seconds.reduce((sum, { there }) => sum + there, 0)).toBeLessThan(20);
  expect(moments.at(-1)?.tally.deleted).toBeGreaterThan(900);
});
