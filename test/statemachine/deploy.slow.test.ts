import fc from 'fast-check';
import { type ExpiryModelProps, expiryModel } from '../../expiry/model.ts';
import { simulatedMachines } from '../support/simulation/definition.ts';
import type { SweepFunctions } from '../support/simulation/functions.ts';
import { Simulation } from '../support/simulation/simulation.ts';

/*
 * A deployment while executions run. They keep their definition, and call functions that are gone, renamed, or do not read any more what
 * they are given. Each that comes upon one says so, and the ticks of the new definition find what it has left.
 */

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;
/** A tick that came before an outage. */
const BEFORE = START - 7_260;
/** Minutes with ticks. */
const MINUTES = Array.from({ length: 12 }, (_unused, minute) => minute - 2);
const FAR = START + 86_400;
const NEXT = 'arn:aws:lambda:us-east-1:123456789012:function:next';

const item = fc.record({
  /** Some are of the outage. */
  ttl: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: START, max: START + 400 }) },
    { weight: 1, arbitrary: fc.integer({ min: START - 7_200, max: START - 1 }) },
  ),
  /** Seconds after its expiry, or before; not at all for null. */
  renewed: fc.option(fc.integer({ min: -5, max: 60 }), { freq: 3 }),
  /** Seconds after its expiry, or after the start: what keeps an execution at work. */
  throttledFor: fc.constantFrom(0, 0, 0, 5, 60, 100),
});

const FUNCTIONS = ['plan-sweep', 'query-expired', 'delete-chunk', 'record-metrics'] as const;

const run = fc.record({
  items: fc.array(item, { minLength: 1, maxLength: 30 }),
  model: fc.constantFrom<Omit<ExpiryModelProps, 'partitionKey'>>(
    { granularityMinutes: 1 },
    { granularityMinutes: 1440, shards: 3 },
    { indexedBy: 'second' },
  ),
  /** Seconds. */
  deployedAfter: fc.integer({ min: 1, max: 300 }),
  refusing: fc.subarray([...FUNCTIONS], { minLength: 1 }),
  error: fc.constantFrom('Lambda.ResourceNotFoundException', 'InvalidSettingsError', 'TypeError'),
});

/** DEPLOY_RUNS=300 looks longer. */
const RUNS = Number(process.env['DEPLOY_RUNS'] ?? 6);

test('what an execution of the old definition cannot finish is told of, and found by the ticks of the new one', async () => {
  await fc.assert(
    fc.asyncProperty(run, async ({ items, model: props, deployedAfter, refusing, error }) => {
      const model = expiryModel({ partitionKey: 'id', ...props });
      const deployedMs = (START + deployedAfter) * 1000;
      /** When the executions began that came upon a function which refused them; a chunk's call does not say it. */
      const refused = new Set<string | undefined>();
      const simulation = new Simulation({
        start: BEFORE,
        model,
        props: { pollSeconds: model.indexedBy === 'second' ? 1 : 0 },
        throttled: (id, nowMs) => {
          const { ttl = 0, throttledFor = 0 } = items[Number(id)] ?? {};
          return nowMs < (Math.max(ttl, START) + throttledFor) * 1000 && throttledFor > 0;
        },
        failingCall: (name: keyof SweepFunctions, { arn = '', input, nowMs }) => {
          if (nowMs < deployedMs || arn.startsWith(NEXT) || !refusing.includes(name)) return undefined;
          refused.add((input as { readonly startedAt?: string }).startedAt);
          return { error };
        },
      });
      const { clock, table } = simulation;
      const at = (epochSeconds: number, action: () => void) =>
        clock.schedule(Math.max(0, epochSeconds * 1000 - clock.now()), action);
      const renewed = new Set<string>();
      for (const [index, { ttl, renewed: after }] of items.entries()) {
        const id = String(index);
        table.write(id, ttl);
        if (after === null) continue;
        at(Math.max(START, ttl + after) + 0.5, () => {
          if (!table.ids().includes(id)) return;
          table.write(id, FAR);
          renewed.add(id);
        });
      }
      at(START + deployedAfter, () =>
        simulation.deploy(
          simulatedMachines(
            simulation.tables.map(({ carried }) => carried),
            NEXT,
          ),
        ),
      );
      simulation.tick(BEFORE);
      for (const minute of MINUTES) simulation.tick(START + minute * 60, 2);
      await simulation.finish();

      expect(table.ids()).toEqual([...renewed].sort());
      expect(simulation.deleted).toHaveLength(items.length - renewed.size);
      for (const { ttl, deletedAt } of simulation.deleted)
        expect(deletedAt).toBeGreaterThanOrEqual(ttl * 1000);
      const failed = simulation.executions.filter(({ status }) => status === 'FAILED');
      const told = failed.map(({ startDate }) => new Date(startDate).toISOString());
      if (refused.has(undefined)) expect(told).not.toEqual([]);
      expect(told).toEqual(expect.arrayContaining([...refused].filter(began => began !== undefined)));
    }),
    { numRuns: RUNS },
  );
});
