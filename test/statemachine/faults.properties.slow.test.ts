import fc from 'fast-check';
import { type ExpiryModelProps, expiryModel } from '../../expiry/model.ts';
import { MACHINES } from '../../statemachine/contract/machines.ts';
import { sumOfFates } from '../../statemachine/counts.ts';
import { type CallFault, Simulation } from '../support/simulation/simulation.ts';

/*
 * One tick, or one replay, on a virtual clock, while functions fail, hang and lose their answers and DynamoDB throttles and refuses. Whatever
 * happens, nothing that lives is deleted, and what expired is deleted or told of. The fuzzer has the ticks that come after.
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
  /** Seconds after its expiry, or after the start. */
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
  kinds: fc.array(item, { minLength: 1, maxLength: 60 }),
  model: fc.constantFrom<Omit<ExpiryModelProps, 'partitionKey'>>(
    { granularityMinutes: 5 },
    { granularityMinutes: 1440, shards: 3 },
    { indexedBy: 'second' },
  ),
  maxDeletesPerSecond: fc.constantFrom(0, 0, 1, 40),
  lateSeconds: fc.integer({ min: 0, max: 59 }),
  faults: fc.record({
    'plan-sweep': calls,
    'query-expired': calls,
    'delete-chunk': calls,
    'record-metrics': calls,
  }),
});

/** FAULT_RUNS=1000 looks longer. */
const RUNS = Number(process.env['FAULT_RUNS'] ?? 12);

test.each(MACHINES)('what expired is deleted or told of by the %s, whatever fails', async machine => {
  const isTick = machine === 'tick';
  // A replay is started when all of that has expired.
  const start = isTick ? START : LAST_TTL + 11;
  await fc.assert(
    fc.asyncProperty(run, async ({ kinds, model, maxDeletesPerSecond, lateSeconds, faults }) => {
      const items = kinds.flatMap(({ copies, ...each }) => new Array<typeof each>(copies).fill(each));
      const simulation = new Simulation({
        start,
        model: expiryModel({ partitionKey: 'id', ...model }),
        // A first plan that fails, fails the execution as it is: nothing was swept.
        failingCall: name =>
          simulation.calls['query-expired'] === 0 && name === 'plan-sweep'
            ? undefined
            : (faults[name].shift() ?? undefined),
        throttled: (id, nowMs) => {
          const { ttl = 0, throttledFor = 0 } = items[Number(id)] ?? {};
          return nowMs < (Math.max(ttl, start) + throttledFor) * 1000;
        },
        refused: id => items[Number(id)]?.refused ?? false,
      });
      const { clock, table, executions } = simulation;
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
      else simulation.replay({ from: iso(FIRST_TTL), to: iso(LAST_TTL + 1), maxDeletesPerSecond });
      await simulation.finish();

      // No child of a replay crashes, or is ended by Step Functions for its age.
      for (const { counts } of executions.flatMap(({ mapRuns }) => mapRuns))
        expect(counts).toMatchObject({ failed: 0, timedOut: 0, aborted: 0 });
      expect(simulation.deleted).toHaveLength(items.length - table.size);
      for (const { ttl, deletedAt } of simulation.deleted)
        expect(deletedAt).toBeGreaterThanOrEqual(ttl * 1000);
      // The minute before its own is that of the tick before.
      const isOfTickBefore = ({ ttl }: { readonly ttl: number }) =>
        isTick && ttl >= START && ttl < START + 60;
      const left = table
        .ids()
        .filter(id => !renewed.has(id) && !isOfTickBefore(items[Number(id)] ?? { ttl: 0 }));
      const [{ status, error, cause = '' } = {}] = executions;
      expect(error ?? status).toBe(status === 'SUCCEEDED' ? status : 'SweepIncompleteError');
      // RecordMetrics could not be called: nobody is left to add up.
      if (error !== undefined && JSON.parse(cause).notRecorded) return;
      const [report] = simulation.reportsOf();
      if (report === undefined) {
        expect([status, left]).toEqual(['SUCCEEDED', []]);
        return;
      }
      const { deleted, failed, shardsFailed, leftForLater } = report;
      expect(sumOfFates(report)).toBe(report.found);
      expect(deleted).toBeLessThanOrEqual(simulation.deleted.length);
      // A limit makes a sweep late, not incomplete; it says that it has left something.
      if (shardsFailed === 0 && leftForLater === 0) expect(left.length).toBeLessThanOrEqual(failed);
      expect(failed + shardsFailed > 0).toBe(status === 'FAILED');
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
});
