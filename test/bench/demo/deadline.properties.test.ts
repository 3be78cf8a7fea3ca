import fc from 'fast-check';
import { looksDueBy, type Pace } from '../../../bench/demo/deadline.ts';
import { expiryModel } from '../../../expiry/model.ts';
import { Simulation } from '../../support/simulation/simulation.ts';

/*
 * The deadlines that npm start judges by, held against the real definition on a virtual clock: a sweep that works keeps
 * every one of them, whenever the items are written.
 */

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;
const FIRST_TTL = START + 60;
const LAST_TTL = START + 179;
const TICKS = 5;
/** A poll, a delete and the tick's planning, at 30 ms a call. */
const CALLS_MS = 500;

const run = fc.record({
  items: fc.array(
    fc.record({
      ttl: fc.integer({ min: FIRST_TTL, max: LAST_TTL }),
      /** Seconds before it expires; a fraction, as nobody writes on whole seconds only. */
      written: fc.integer({ min: 1, max: 1_800 }).map(tenths => tenths / 10),
    }),
    { minLength: 1, maxLength: 40 },
  ),
  granularityMinutes: fc.constantFrom(1, 5, 60),
  pace: fc.constantFrom<Pace>(
    { precision: 'second', pollSeconds: 0 },
    { precision: 'second', pollSeconds: 5 },
    { precision: 'second', pollSeconds: 20 },
    { precision: 'minute', pollSeconds: 0 },
  ),
});

test('every item is gone by its deadline', async () => {
  await fc.assert(
    fc.asyncProperty(run, async ({ items, granularityMinutes, pace }) => {
      const simulation = new Simulation({
        start: START,
        model: expiryModel({ partitionKey: 'id', granularityMinutes, shards: 1 }),
        props: pace,
      });
      const { clock, table } = simulation;
      const written = items.map(({ ttl, written: before }) => ({
        ttl,
        knownAt: Math.max(START * 1000 + 100, Math.round((ttl - before) * 1000)),
        shard: 0,
        goneAt: undefined,
      }));
      for (const [index, { ttl, knownAt }] of written.entries()) {
        clock.schedule(knownAt - clock.now(), () => table.write(String(index), ttl));
      }
      for (let minute = 0; minute < TICKS; minute += 1) simulation.tick(START + minute * 60);
      await simulation.finish();
      expect(table.ids()).toEqual([]);

      const dueBy = [...looksDueBy(written, pace, new Map())];
      // The same TTL may be there more than once: the earliest deletion goes with the earliest deadline.
      for (const ttl of new Set(items.map(item => item.ttl))) {
        const deadlines = dueBy.filter(([item]) => item.ttl === ttl).map(([, due]) => due);
        const deletions = simulation.deleted.filter(item => item.ttl === ttl).map(item => item.deletedAt);
        deadlines.sort((a, b) => a - b);
        deletions.sort((a, b) => a - b);
        for (const [index, deletedAt] of deletions.entries()) {
          expect(deletedAt).toBeLessThanOrEqual((deadlines[index] ?? 0) + CALLS_MS);
        }
      }
    }),
    { numRuns: 5 },
  );
}, 60_000);
