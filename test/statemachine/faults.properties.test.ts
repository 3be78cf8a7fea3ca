import fc from 'fast-check';
import { expiryModel } from '../../expiry/model.ts';
import { type CallFault, Simulation } from '../../local/simulation/simulation.ts';
import type { SweepReport } from '../../statemachine/contract.ts';
import { definitionWith } from '../support/run-sweep.ts';

/*
 * One tick, on a virtual clock, while functions fail, hang and lose their answers and DynamoDB throttles and refuses. Whatever
 * happens, nothing that lives is deleted, and what expired is deleted or told of.
 */

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;
/** The tick looks back ten minutes, and owns the minute after the next. */
const FIRST_TTL = START - 500;
const LAST_TTL = START + 119;
const FAR = START + 86_400;

const item = fc.record({
  ttl: fc.integer({ min: FIRST_TTL, max: LAST_TTL }),
  /** Seconds after its expiry, or before; not at all for null. */
  renewed: fc.option(fc.integer({ min: -5, max: 5 }), { freq: 3 }),
  /** Seconds after its expiry, or after the tick. */
  throttledFor: fc.constantFrom(0, 0, 0, 3, 30, 400),
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
  granularityMinutes: fc.constantFrom(1, 5, 60),
  pollSeconds: fc.constantFrom(0, 5),
  lateSeconds: fc.integer({ min: 0, max: 59 }),
  queries: calls,
  deletes: calls,
  records: calls,
  /** Seconds after the tick; DynamoDB throttles all in between. */
  outage: fc.option(
    fc.record({ from: fc.integer({ min: 0, max: 150 }), seconds: fc.constantFrom(2, 20, 100) }),
  ),
});

const RUNS = Number(process.env['FAULT_RUNS'] ?? 15);

test('what expired is deleted or told of, whatever fails', async () => {
  const seen = { succeeded: 0, failed: 0 };
  await fc.assert(
    fc.asyncProperty(
      run,
      async ({ items, granularityMinutes, pollSeconds, lateSeconds, outage, ...faults }) => {
        const next = { 'query-expired': [...faults.queries], 'delete-chunk': [...faults.deletes] };
        const records = [...faults.records];
        const simulation = new Simulation({
          definition: definitionWith({}),
          start: START,
          model: expiryModel({ partitionKey: 'id', granularityMinutes }),
          pace: { precisionSeconds: 1, pollSeconds },
          failingCall: name => {
            if (name === 'plan-sweep') return undefined;
            return (name === 'record-metrics' ? records : next[name]).shift() ?? undefined;
          },
          throttledCall: nowMs =>
            outage !== null &&
            nowMs >= (START + lateSeconds + 5 + outage.from) * 1000 &&
            nowMs < (START + lateSeconds + 5 + outage.from + outage.seconds) * 1000,
          throttled: (id, nowMs) => {
            const { ttl = 0, throttledFor = 0 } = items[Number(id)] ?? {};
            return nowMs < (Math.max(ttl, START) + throttledFor) * 1000;
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
        simulation.tick(START, lateSeconds);
        await simulation.finish();

        const [{ status, output, error, cause = '' } = { status: 'none' }] = simulation.executions;
        const gone = items.map((_item, index) => String(index)).filter(id => !table.ids().includes(id));
        expect(simulation.deleted).toHaveLength(gone.length);
        for (const { ttl, deletedAt } of simulation.deleted)
          expect(deletedAt).toBeGreaterThanOrEqual(ttl * 1000);
        const left = table.ids().filter(id => !renewed.has(id));
        if (status !== 'SUCCEEDED') expect(error).toBe('SweepIncompleteError');
        const report = (status === 'SUCCEEDED' ? output : JSON.parse(cause)) as unknown as SweepReport;
        const { found, deleted, renewed: kept, notFound, failed, shardsFailed } = report;
        expect(deleted + kept + notFound + failed).toBe(found);
        expect(deleted).toBeLessThanOrEqual(simulation.deleted.length);
        if (status === 'SUCCEEDED') {
          seen.succeeded += 1;
          expect({ left, failed, shardsFailed }).toEqual({ left: [], failed: 0, shardsFailed: 0 });
        } else {
          seen.failed += 1;
          if (shardsFailed === 0) expect(left.length).toBeLessThanOrEqual(failed);
          expect(failed + shardsFailed).toBeGreaterThan(0);
        }
      },
    ),
    { numRuns: RUNS },
  );
  if (process.env['FAULT_RUNS']) console.log(seen);
}, 600_000);
