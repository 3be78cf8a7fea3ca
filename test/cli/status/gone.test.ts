import fc from 'fast-check';
import { type Gone, goneBy, type Look } from '../../../cli/status/gone.ts';
import { INDEX_SECONDS, type Watermark } from '../../../functions/journal/layout.ts';

const NOW = 1_000_000;
const look = (over: Partial<Look> = {}): Look => ({
  readAt: NOW,
  read: { from: NOW - 600, upTo: NOW },
  oldest: null,
  unansweredFrom: null,
  ...over,
});
const said = (gone: Gone) => (gone.known ? [gone.since - NOW, gone.by - NOW] : gone.because);

const watermark = (since: number, gone: number): Watermark => ({
  since: NOW + since,
  gone: NOW + gone,
  at: '',
});
const NONE = undefined;

test.each<[string, Partial<Look> | undefined, Watermark | undefined, readonly [number, number] | string]>([
  ['nothing is found', {}, NONE, [-600, -INDEX_SECONDS]],
  ['an item is found', { oldest: NOW - 60 }, NONE, [-600, -61]],
  ['an item is found whose TTL is a fraction', { oldest: NOW - 59.5 }, NONE, [-600, -60]],
  ['an item is found that has just expired', { oldest: NOW - 1 }, NONE, [-600, -INDEX_SECONDS]],
  ['an item is found that was due before', { oldest: NOW - 601 }, NONE, 'overdue'],
  ['the first one that was looked at is found', { oldest: NOW - 600 }, NONE, 'overdue'],
  ['a window was not answered', { unansweredFrom: NOW - 300 }, NONE, [-600, -301]],
  ['the first window was not answered', { unansweredFrom: NOW - 600 }, NONE, 'unanswered'],
  ['time ran out', { read: { from: NOW - 600, upTo: NOW - 400 } }, NONE, [-600, -400]],
  ['nothing was read', { read: null }, NONE, 'not-read'],
  ['nothing was answered', { read: null, unansweredFrom: NOW - 600 }, NONE, 'unanswered'],
  ['the index could not be asked', undefined, NONE, 'unanswered'],
  ['ticks left nothing before', {}, watermark(-4200, -601 + INDEX_SECONDS), [-4200, -INDEX_SECONDS]],
  ['there is a gap of a second', {}, watermark(-4200, -602 + INDEX_SECONDS), [-600, -INDEX_SECONDS]],
  ['ticks have begun only lately', {}, watermark(-300, -60), [-600, -INDEX_SECONDS]],
  ['what ticks left is there all the same', { oldest: NOW - 700 }, watermark(-4200, -20), 'overdue'],
  [
    'the index could not be asked, and ticks did',
    undefined,
    watermark(-4200, -60),
    [-4200, -60 - INDEX_SECONDS],
  ],
  [
    'an item is there that ticks are still about',
    { oldest: NOW - 700 },
    watermark(-4200, -701),
    [-4200, -701 - INDEX_SECONDS],
  ],
  ['a tick was the first one just now', undefined, watermark(-5, 0), 'unanswered'],
])('%s', (_name, over, known, expected) => {
  expect(said(goneBy(over && look(over), known))).toEqual(expected);
});

/** An item as it was once: written, expired, seen in the index some time later. Seconds relative to NOW. */
interface Item {
  readonly ttl: number;
  readonly writtenAt: number;
  readonly shownAt: number;
  /** When a sweep deleted it, and when its entry left the index. */
  deletedAt: number;
  goneFromIndexAt: number;
}

const NEVER = Number.POSITIVE_INFINITY;
/** Short, so that items and sweeps meet. */
const SPAN = 300;

/** Where one sweep ends and another look begins. */
const nearMinutes = fc
  .tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: -15, max: 12 }))
  .map(([minutes, seconds]) => seconds - minutes * 60);

const items = fc.array(
  fc
    .record({
      ttl: fc.oneof(fc.integer({ min: -SPAN, max: 5 }), nearMinutes),
      life: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: -40, max: SPAN })),
      delay: fc.integer({ min: 0, max: INDEX_SECONDS }),
    })
    .map(({ ttl, life, delay }): Item => {
      const writtenAt = NOW + ttl - life;
      return {
        ttl: NOW + ttl,
        writtenAt,
        shownAt: writtenAt + delay,
        deletedAt: NEVER,
        goneFromIndexAt: NEVER,
      };
    }),
  { maxLength: 60 },
);

/** A sweep that was made once. Seconds. */
interface Made {
  /** Relative to NOW. */
  readonly at: number;
  readonly lookbackMinutes: number;
  /** How long after its start it reads the index, how long after that it deletes, and how long the entries stay then. */
  readonly readsAfter: number;
  readonly deletesAfter: number;
  readonly unindexesAfter: number;
  readonly fails: boolean;
}

const sweeps: fc.Arbitrary<Made[]> = fc.array(
  fc.record({
    at: fc.oneof(
      fc.integer({ min: -SPAN, max: -1 }),
      nearMinutes.filter(at => at < 0),
    ),
    lookbackMinutes: fc.integer({ min: 1, max: 5 }),
    readsAfter: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 30 })),
    deletesAfter: fc.integer({ min: 0, max: 60 }),
    unindexesAfter: fc.integer({ min: 0, max: INDEX_SECONDS }),
    fails: fc.boolean(),
  }),
  { maxLength: 8 },
);

/** Lets a tick read the index, note what it has seen as PlanSweep does, and delete; one that fails leaves every other item. */
function sweep(
  all: Item[],
  { at, lookbackMinutes, readsAfter, deletesAfter, unindexesAfter, fails }: Made,
  before: Watermark | undefined,
): Watermark | undefined {
  const cutoff = NOW + at - 1;
  const readAt = NOW + at + readsAfter;
  if (readAt > NOW) return before;
  const windowsFrom = cutoff - lookbackMinutes * 60;
  const due = all.filter(
    ({ ttl, shownAt, goneFromIndexAt }) =>
      shownAt <= readAt && goneFromIndexAt > readAt && ttl >= windowsFrom && ttl <= cutoff,
  );
  for (const [index, item] of due.entries()) {
    if (fails && index % 2 === 0) continue;
    item.deletedAt = Math.min(item.deletedAt, readAt + deletesAfter);
    item.goneFromIndexAt = Math.min(item.goneFromIndexAt, item.deletedAt + unindexesAfter);
  }
  if (before !== undefined && before.gone - INDEX_SECONDS < windowsFrom - 1) return before;
  const since = before?.since ?? windowsFrom;
  return { since, gone: Math.min(cutoff, ...due.map(({ ttl }) => ttl - 1)), at: '' };
}

test('never says that something is gone which is there, whatever was written, swept and seen late', () => {
  fc.assert(
    fc.property(
      items,
      sweeps,
      fc.integer({ min: 1, max: 5 }),
      fc.boolean(),
      (all, made, minutes, isAsked) => {
        const inOrder = made.toSorted((a, b) => a.at + a.readsAfter - b.at - b.readsAfter);
        const known = inOrder.reduce<Watermark | undefined>(
          (before, each) => sweep(all, each, before),
          undefined,
        );
        const from = NOW - minutes * 60;
        const seen = all.filter(
          ({ ttl, shownAt, goneFromIndexAt }) =>
            shownAt <= NOW && goneFromIndexAt > NOW && ttl >= from && ttl <= NOW,
        );
        const oldest = seen.length === 0 ? null : Math.min(...seen.map(({ ttl }) => ttl));
        const seenLook = isAsked ? look({ read: { from, upTo: NOW }, oldest }) : undefined;
        const gone = goneBy(seenLook, known);
        if (!gone.known) return;
        const there = all.filter(
          ({ ttl, writtenAt, deletedAt }) =>
            // As writers do; what is written when it has expired already is not claimed.
            writtenAt <= ttl && deletedAt > NOW && ttl >= gone.since && ttl <= gone.by,
        );
        expect(there).toEqual([]);
      },
    ),
    { numRuns: 2000 },
  );
});
