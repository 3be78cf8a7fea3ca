/** @jest-environment ./test/support/dynamodb-environment.ts */
import type { LocalCloudOptions } from '../../local/cloud.ts';
import type { PlanSweepOutput, SweepTarget } from '../../statemachine/contract.ts';
import { answering, JOB_STARTED, judgedJob, SleepingClock } from '../support/main-job.ts';

/*
 * What npm start says of a sweep that does not do what its configuration says, and of a machine that sleeps. Everything
 * that is deployed is the real thing, but for the one thing that is broken.
 */

/** Changes the targets that PlanSweep gives to the children. */
const planning = (change: (due: readonly SweepTarget[]) => readonly SweepTarget[]) =>
  answering('plan-sweep', payload => {
    const plan = payload as PlanSweepOutput;
    return { ...plan, due: change(plan.due) };
  });

const isAhead = ({ lookAt }: SweepTarget) => lookAt !== null;

test.concurrent.each<[string, Partial<LocalCloudOptions>, number, number?]>([
  [
    'children that are not started for the span ahead',
    planning(due => due.filter(target => !isAhead(target))),
    50_000,
  ],
  [
    'children that do not wait for the span ahead',
    // They look at once, find nothing, and end: nobody is there when the span begins.
    planning(due => due.map(target => (isAhead(target) ? { ...target, before: target.from } : target))),
    50_000,
  ],
  [
    'children that wait half a minute too long',
    planning(due =>
      due.map(target => ({ ...target, lookAt: target.lookAt === null ? null : target.lookAt + 30 })),
    ),
    25_000,
  ],
  [
    'ticks that come every other minute',
    { deliveries: (_, at) => ((at / 60_000) % 2 ? [] : [0]) },
    50_000,
    2,
  ],
])(
  '%s are told from a slow machine',
  async (_name, cloud, lagMs, minutes = 1) => {
    const { status, notKept, longestLagMs, machine, printed } = await judgedJob(cloud, minutes);
    expect({ status, notKept }).toEqual({ status: 1, notKept: { goneInTime: 'broken' } });
    expect(longestLagMs).toBeGreaterThan(lagMs);
    expect(machine.stoodStillMs).toBe(0);
    expect(printed).toContain('and this machine had time for them');
  },
  180_000,
);

test('a machine whose timers sleep with it delays what it waits for after it has woken', async () => {
  // In the wait for the first minute; the tick of 09:01 was to come while it sleeps.
  const clock = new SleepingClock(JOB_STARTED, Date.parse('2026-11-20T09:00:55Z'), 20_000, true);
  const { status, notKept, machine } = await judgedJob({ clock });
  expect(machine.stoodStillMs).toBeGreaterThan(19_000);
  expect({ status, notKept }).toEqual({ status: 3, notKept: { goneInTime: 'undecided' } });
}, 180_000);

test('a machine that sleeps does not excuse a sweep that is broken', async () => {
  const { status, notKept } = await judgedJob({
    clock: new SleepingClock(JOB_STARTED, Date.parse('2026-11-20T09:01:40Z'), 5_000),
    functions: { environment: { PRECISION_SECONDS: '60' } },
  });
  expect({ status, notKept }).toEqual({ status: 1, notKept: { goneInTime: 'broken' } });
}, 180_000);

test('what is not deleted at all is broken, however long the machine slept', async () => {
  // By then everything has expired, and the sweep is given the time to make up for it.
  const clock = new SleepingClock(JOB_STARTED, Date.parse('2026-11-20T09:01:40Z'), 3_600_000);
  const { status, notKept, printed } = await judgedJob({
    clock,
    ...answering('query-expired', payload => ({ ...(payload as object), chunks: [] })),
  });
  expect(status).toBe(1);
  expect(notKept).toMatchObject({ expiredDeleted: 'broken', noneOverdue: 'broken' });
  expect(printed).toMatch(/✗ \d+ items expired, but 0 were deleted/);
}, 180_000);
