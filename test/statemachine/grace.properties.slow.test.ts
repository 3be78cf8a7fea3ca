import fc from 'fast-check';
import { expiryModel } from '../../expiry/model.ts';
import { MAX_GRACE_SECONDS } from '../../statemachine/contract/limits.ts';
import { machinesWith } from '../support/run-sweep.ts';
import { Simulation } from '../support/simulation/simulation.ts';
import { sweepReport } from '../support/sweep-reports.ts';

/*
 * With `graceSeconds` an item goes so long after its TTL, as precisely as without: on a virtual clock, with ticks in time and items that
 * were written well before.
 */

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;
const TICKS = 6;
/** The minutes that ticks wait for, and that a last tick comes after. */
const FIRST_DUE = START + 120;
const LAST_DUE = START + 299;
/** In the plain mode a tick comes once a minute. A call takes 30 ms, and a sweep some of them. */
const MAX_LATE_MS = 1500;

const models = fc.constantFrom(
  ...[1, 5, 60, 1440].map(granularityMinutes => expiryModel({ partitionKey: 'id', granularityMinutes })),
  expiryModel({ partitionKey: 'id', indexedBy: 'second' }),
);

test('an item is deleted as long after its grace as it would be after its expiry, and never within it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.integer({ min: 0, max: 600 }), fc.integer({ min: 0, max: MAX_GRACE_SECONDS })),
      fc.constantFrom(1, 5, 60),
      models,
      fc.uniqueArray(fc.integer({ min: FIRST_DUE, max: LAST_DUE }), { minLength: 1, maxLength: 20 }),
      async (graceSeconds, precisionSeconds, model, dues) => {
        const pollSeconds = model.indexedBy === 'second' && precisionSeconds < 60 ? precisionSeconds : 0;
        const simulation = new Simulation({
          definition: machinesWith({}),
          start: START,
          model,
          pace: { precisionSeconds, pollSeconds },
          graceSeconds,
        });
        for (const due of dues) simulation.table.write(String(due), due - graceSeconds);
        // It is expired, and in its grace when all of this is over.
        const later = START + TICKS * 60 + 120;
        if (graceSeconds > 0) simulation.table.write('in its grace', later - graceSeconds);
        for (let minute = 0; minute < TICKS; minute += 1) simulation.tick(START + minute * 60);
        await simulation.finish();

        expect(simulation.deleted).toHaveLength(dues.length);
        for (const { id, deletedAt } of simulation.deleted) {
          const lateMs = deletedAt - Number(id) * 1000;
          expect(lateMs).toBeGreaterThanOrEqual(0);
          expect(lateMs).toBeLessThanOrEqual(precisionSeconds * 1000 + MAX_LATE_MS);
        }
        for (const execution of simulation.executions) {
          expect(execution.status).toBe('SUCCEEDED');
          const { lagMs, oldestOverdueSeconds } = sweepReport(execution);
          expect(lagMs?.max ?? 0).toBeLessThanOrEqual(precisionSeconds * 1000 + MAX_LATE_MS);
          expect(oldestOverdueSeconds).toBeLessThanOrEqual(60);
        }
      },
    ),
    { numRuns: 25 },
  );
});
