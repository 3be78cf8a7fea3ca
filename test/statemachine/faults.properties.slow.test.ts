import fc from 'fast-check';
import { type ExpiryModelProps, expiryModel } from '../../expiry/model.ts';
import { MACHINES } from '../../statemachine/contract/machines.ts';
import { type CountName, sumOfFates } from '../../statemachine/counts.ts';
import { type CallFault, Simulation } from '../support/simulation/simulation.ts';
import { sweepReports } from '../support/sweep-reports.ts';

/*
 * One tick, or one replay, on a virtual clock, while functions fail, hang and lose their answers and DynamoDB throttles and refuses. Whatever
 * happens, nothing that lives is deleted, and what expired is deleted or told of.
 */

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;
/** The tick looks back to the watermark, and owns the minute after its own. */
const FIRST_TTL = START - 500;
const LAST_TTL = START + 119;
const FAR = START + 86_400;
const iso = (seconds: number) => new Date(seconds * 1000).toISOString();

const item = fc.record({
  ttl: fc.oneof(
    fc.integer({ min: FIRST_TTL, max: LAST_TTL }),
    fc.integer({ min: START + 65, max: START + 80 }),
  ),
  /** Items like this one, each with a key of its own: some runs have many chunks of them. */
  copies: fc.oneof(
    { weight: 9, arbitrary: fc.constant(1) },
    { weight: 1, arbitrary: fc.integer({ min: 2, max: 300 }) },
  ),
  /** Seconds after its expiry, or before; not at all for null. */
  renewed: fc.option(fc.integer({ min: -5, max: 5 }), { freq: 3 }),
  /** Seconds after its expiry, or after the tick. */
  throttledFor: fc.constantFrom(0, 0, 0, 3, 30, 250),
  refused: fc.constantFrom(false, false, false, false, false, false, false, true),
});

const fault: fc.Arbitrary<CallFault> = fc.record(
  {
    error: fc.constantFrom(
      'Lambda.TooManyRequestsException',
      'Lambda.ServiceException',
      'Runtime.ExitError',
      'States.Timeout',
      'AccessDeniedException',
    ),
    answerLost: fc.boolean(),
    hangsMs: fc.constantFrom(0, 500, 2_500, 20_000),
  },
  { requiredKeys: [] },
);

const calls = fc.array(fc.option(fault, { freq: 3 }), { minLength: 0, maxLength: 40 });

const run = fc.record({
  items: fc.array(item, { minLength: 1, maxLength: 60 }),
  model: fc.constantFrom<Omit<ExpiryModelProps, 'partitionKey'>>(
    { granularityMinutes: 1 },
    { granularityMinutes: 60 },
    { granularityMinutes: 5 },
    { granularityMinutes: 1440 },
    { granularityMinutes: 1440, shards: 3 },
    { indexedBy: 'second' },
    { indexedBy: 'second' },
  ),
  pollSeconds: fc.constantFrom(0, 5),
  maxDeletesPerSecond: fc.constantFrom(0, 0, 1, 40),
  lateSeconds: fc.integer({ min: 0, max: 59 }),
  plans: calls,
  queries: calls,
  deletes: calls,
  records: calls,
  /** Seconds after the tick; DynamoDB throttles all in between. */
  outage: fc.option(
    fc.record({ from: fc.integer({ min: 0, max: 150 }), seconds: fc.constantFrom(2, 20, 100) }),
  ),
});

/** FAULT_RUNS=1000 looks longer, about a minute and a half. */
const RUNS = Number(process.env['FAULT_RUNS'] ?? 15);

/** A replay is started when all of that has expired. */
const REPLAY_START = START + 130;
const REPLAYED = { from: iso(FIRST_TTL), to: iso(LAST_TTL + 1) };

test.each(MACHINES)('what expired is deleted or told of by the %s, whatever fails', async machine => {
  const isTick = machine === 'tick';
  const start = isTick ? START : REPLAY_START;
  await fc.assert(
    fc.asyncProperty(
      run,
      async ({ items: kinds, model, pollSeconds, maxDeletesPerSecond, lateSeconds, outage, ...faults }) => {
        const items = kinds.flatMap(({ copies, ...each }) => new Array<typeof each>(copies).fill(each));
        const next = {
          'plan-sweep': [...faults.plans],
          'query-expired': [...faults.queries],
          'delete-chunk': [...faults.deletes],
          'record-metrics': [...faults.records],
        };
        const simulation = new Simulation({
          start,
          model: expiryModel({ partitionKey: 'id', ...model }),
          props: { pollSeconds },
          // A first plan that fails, fails the execution as it is: nothing was swept.
          failingCall: name =>
            simulation.calls['query-expired'] === 0 && name === 'plan-sweep'
              ? undefined
              : (next[name].shift() ?? undefined),
          throttledCall: nowMs =>
            outage !== null &&
            nowMs >= (start + lateSeconds + 5 + outage.from) * 1000 &&
            nowMs < (start + lateSeconds + 5 + outage.from + outage.seconds) * 1000,
          throttled: (id, nowMs) => {
            const { ttl = 0, throttledFor = 0 } = items[Number(id)] ?? {};
            return nowMs < (Math.max(ttl, start) + throttledFor) * 1000;
          },
          refused: id => items[Number(id)]?.refused ?? false,
        });
        const { clock, table } = simulation;
        const renewed = new Set<string>();
        for (const [index, { ttl, renewed: after }] of items.entries()) {
          const id = String(index);
          table.write(id, ttl);
          if (after === null) continue;
          clock.schedule(Math.max(0, (ttl + after) * 1000 + 500 - clock.now()), () => {
            if (!table.ids().includes(id)) return;
            table.write(id, FAR);
            renewed.add(id);
          });
        }
        if (isTick) simulation.tick(START, lateSeconds, { maxDeletesPerSecond });
        else simulation.replay({ ...REPLAYED, maxDeletesPerSecond });
        await simulation.finish();

        const { executions } = simulation;
        // No child of a replay crashes, or is ended by Step Functions for its age.
        for (const { executionCounts } of executions.flatMap(({ mapRuns }) => mapRuns))
          expect(executionCounts).toMatchObject({ failed: 0, timedOut: 0, aborted: 0 });
        expect(simulation.deleted).toHaveLength(items.length - table.ids().length);
        for (const { ttl, deletedAt } of simulation.deleted)
          expect(deletedAt).toBeGreaterThanOrEqual(ttl * 1000);
        // The minute before its own is that of the tick before.
        const isOfTickBefore = (id: string) => {
          const { ttl = 0 } = items[Number(id)] ?? {};
          return isTick && ttl >= START && ttl < START + 60;
        };
        const left = table.ids().filter(id => !renewed.has(id) && !isOfTickBefore(id));
        const unsuccessful = executions.filter(({ status }) => status !== 'SUCCEEDED');
        if (unsuccessful.some(({ error }) => error !== 'SweepIncompleteError')) {
          expect(executions[0]?.error ?? 'SweepIncompleteError').toBe('SweepIncompleteError');
          return;
        }
        // RecordMetrics, or that and PlanFurther, could not be called: nobody is left to add up.
        if (
          unsuccessful.some(
            ({ cause = '' }) => JSON.parse(cause).notRecorded && !('found' in JSON.parse(cause)),
          )
        )
          return;
        const reports = sweepReports(simulation);
        const sum = (count: CountName) => reports.reduce((total, report) => total + report[count], 0);
        for (const report of reports) expect(sumOfFates(report)).toBe(report.found);
        expect(sum('deleted')).toBeLessThanOrEqual(simulation.deleted.length);
        if (unsuccessful.length === 0) {
          // A limit makes a sweep late, not incomplete; it says that it has left something.
          const untold = sum('leftForLater') > 0 ? [] : left;
          expect({ left: untold, failed: sum('failed'), shardsFailed: sum('shardsFailed') }).toEqual({
            left: [],
            failed: 0,
            shardsFailed: 0,
          });
        } else {
          if (sum('shardsFailed') === 0 && sum('leftForLater') === 0)
            expect(left.length).toBeLessThanOrEqual(sum('failed'));
          expect(sum('failed') + sum('shardsFailed')).toBeGreaterThan(0);
        }
      },
    ),
    { numRuns: RUNS },
  );
});
