import fc from 'fast-check';
import { expiryModel } from '../../expiry/model.ts';
import { sumOfFates } from '../../statemachine/counts.ts';
import { machinesWith } from '../support/run-sweep.ts';
import { Simulation } from '../support/simulation/simulation.ts';
import { sweepReport } from '../support/sweep-reports.ts';

/*
 * Sweeps to the second, on a virtual clock: whatever is written, renewed and throttled, and however the ticks come, what
 * expired is gone in the end, nothing lives too short, and every execution's counts add up.
 */

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;
/** Items expire from minute 2 to 4; ticks come as they like up to minute 4, and in time from then on. */
const FIRST_TTL = START + 120;
const LAST_TTL = START + 299;
const ODD_TICKS = 5;
const ALL_TICKS = 9;
const FAR = START + 86_400;

const item = fc.record({
  ttl: fc.integer({ min: FIRST_TTL, max: LAST_TTL }),
  /** Seconds before it expires. */
  written: fc.integer({ min: 1, max: 200 }),
  /** Seconds after its expiry, or before; not at all for null. */
  renewed: fc.option(fc.integer({ min: -5, max: 2 })),
  /** Seconds after its expiry. */
  throttledFor: fc.constantFrom(0, 0, 0, 0, 5, 40),
});

/** Deliveries of a tick, seconds after its time. */
const deliveries = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 59 }).map(late => [late]) },
  { weight: 1, arbitrary: fc.constant([] as number[]) },
  { weight: 1, arbitrary: fc.tuple(fc.integer({ min: 0, max: 59 }), fc.integer({ min: 0, max: 59 })) },
);

const run = fc.record({
  items: fc.array(item, { minLength: 1, maxLength: 25 }),
  ticks: fc.array(deliveries, { minLength: ODD_TICKS, maxLength: ODD_TICKS }),
  pollSeconds: fc.constantFrom(0, 5),
  precisionSeconds: fc.constantFrom(1, 1, 5),
  /** Of the ticks that come as they like. */
  maxDeletesPerSecond: fc.constantFrom(0, 0, 2, 20),
});

const BY_WINDOW = fc.constantFrom(
  ...[1, 5, 60, 1440].map(granularityMinutes => expiryModel({ partitionKey: 'id', granularityMinutes })),
  expiryModel({ partitionKey: 'id', granularityMinutes: 1440, shards: 3 }),
);
const BY_SECOND = fc.constant(expiryModel({ partitionKey: 'id', indexedBy: 'second' }));

test.each([
  ['window', BY_WINDOW, 5],
  ['second', BY_SECOND, 3],
] as const)(
  'by %s: what expired is gone, what lives stays, and the counts add up',
  async (_by, models, numRuns) => {
    await fc.assert(
      fc.asyncProperty(
        run,
        models,
        async ({ items, ticks, pollSeconds, precisionSeconds, maxDeletesPerSecond }, model) => {
          const simulation = new Simulation({
            definition: machinesWith({}),
            start: START,
            model,
            pace: { precisionSeconds, pollSeconds },
            throttled: (id, nowMs) => {
              const { ttl = 0, throttledFor = 0 } = items[Number(id)] ?? {};
              return nowMs < (ttl + throttledFor) * 1000 && throttledFor > 0;
            },
          });
          const { clock, table } = simulation;
          const renewed = new Set<string>();
          for (const [index, { ttl, written, renewed: after }] of items.entries()) {
            const id = String(index);
            const at = (epochSeconds: number, action: () => void) =>
              clock.schedule(Math.max(0, epochSeconds * 1000 - clock.now()), action);
            const writtenAt = Math.max(START, ttl - written);
            at(writtenAt, () => table.write(id, ttl));
            // As an application renews: only what is still there.
            if (after === null) continue;
            at(Math.max(writtenAt, ttl + after) + 0.5, () => {
              if (!table.ids().includes(id)) return;
              table.write(id, FAR);
              renewed.add(id);
            });
          }
          for (let minute = 0; minute < ALL_TICKS; minute += 1) {
            const input = minute < ODD_TICKS ? { maxDeletesPerSecond } : {};
            for (const late of ticks[minute] ?? [0]) simulation.tick(START + minute * 60, late, input);
          }
          await simulation.finish();

          expect(table.ids()).toEqual([...renewed].sort());
          expect(simulation.deleted).toHaveLength(items.length - renewed.size);
          for (const { ttl, deletedAt } of simulation.deleted)
            expect(deletedAt).toBeGreaterThanOrEqual(ttl * 1000);
          let deletedInAll = 0;
          for (const execution of simulation.executions) {
            const { status, cause } = execution;
            expect({ status, cause }).toEqual({ status: 'SUCCEEDED', cause: undefined });
            const report = sweepReport(execution);
            expect(sumOfFates(report)).toBe(report.found);
            deletedInAll += report.deleted;
          }
          expect(deletedInAll).toBe(simulation.deleted.length);
        },
      ),
      { numRuns },
    );
  },
);
