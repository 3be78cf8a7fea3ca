import fc from 'fast-check';
import {
  coverageOf,
  type Gone,
  goneBy,
  INDEX_SECONDS,
  type Look,
  type Span,
} from '../../../cli/status/gone.ts';
import { readSweepInput } from '../../../functions/plan-sweep/sweep-input.ts';

const NOW = 1_000_000;
const look = (over: Partial<Look> = {}): Look => ({
  readAt: NOW,
  read: { from: NOW - 600, upTo: NOW },
  oldest: null,
  unansweredFrom: null,
  ...over,
});
const said = (gone: Gone) => (gone.known ? [gone.since - NOW, gone.by - NOW] : gone.because);

test.each<[string, Partial<Look>, readonly Span[], readonly [number, number] | string]>([
  ['nothing is found', {}, [], [-600, -INDEX_SECONDS]],
  ['an item is found', { oldest: NOW - 60 }, [], [-600, -61]],
  ['an item is found whose TTL is a fraction', { oldest: NOW - 59.5 }, [], [-600, -60]],
  ['an item is found that has just expired', { oldest: NOW - 1 }, [], [-600, -INDEX_SECONDS]],
  ['an item is found that was due before', { oldest: NOW - 601 }, [], 'overdue'],
  ['the first one that was looked at is found', { oldest: NOW - 600 }, [], 'overdue'],
  ['a window was not answered', { unansweredFrom: NOW - 300 }, [], [-600, -301]],
  ['the first window was not answered', { unansweredFrom: NOW - 600 }, [], 'unanswered'],
  ['time ran out', { read: { from: NOW - 600, upTo: NOW - 400 } }, [], [-600, -400]],
  ['nothing was read', { read: null }, [], 'not-read'],
  ['nothing was answered', { read: null, unansweredFrom: NOW - 600 }, [], 'unanswered'],
  ['a sweep covered what lies before', {}, [{ from: NOW - 4200, upTo: NOW - 601 }], [-4200, -INDEX_SECONDS]],
  ['there is a gap of a second', {}, [{ from: NOW - 4200, upTo: NOW - 602 }], [-600, -INDEX_SECONDS]],
  [
    'two sweeps touch, in any order',
    {},
    [
      { from: NOW - 9000, upTo: NOW - 4000 },
      { from: NOW - 4001, upTo: NOW - 30 },
    ],
    [-9000, -INDEX_SECONDS],
  ],
  [
    'what was swept is there all the same',
    { oldest: NOW - 700 },
    [{ from: NOW - 4200, upTo: NOW - 20 }],
    'overdue',
  ],
])('%s', (_name, over, covered, expected) => {
  expect(said(goneBy(look(over), covered))).toEqual(expected);
});

const SETTINGS = { lookbackMinutes: 10, precisionSeconds: 1, maxDeletesPerSecond: 0, graceSeconds: 0 };
const iso = (seconds: number) => new Date(seconds * 1000).toISOString();

test.each<[string, object, readonly [number, number] | null]>([
  ['a tick: what it looks back to', { scheduledTime: iso(NOW) }, [-601, -1 - INDEX_SECONDS]],
  [
    'a part of a reconcile: not what it skips',
    { scheduledTime: iso(NOW), lookbackMinutes: 120, skipMinutes: 60 },
    [-7200, -3600],
  ],
  ['a replay: its span', { from: iso(NOW - 500), to: iso(NOW - 100) }, [-500, -101]],
  ['a replay up to now', { from: iso(NOW - 500), to: iso(NOW) }, [-500, -INDEX_SECONDS]],
  ['a dry run: nothing', { from: iso(NOW - 500), to: iso(NOW - 100), dryRun: true }, null],
  ['a replay of the last seconds: nothing', { from: iso(NOW - 5), to: iso(NOW) }, null],
])('a sweep that succeeds leaves nothing of %s', (_name, input, expected) => {
  const span = coverageOf(readSweepInput(input, NOW * 1000, SETTINGS), 0);
  expect(span && [span.from - NOW, span.upTo - NOW]).toEqual(expected);
});

test('a sweep that left something for later, because of a limit, covers nothing', () => {
  const request = readSweepInput({ scheduledTime: iso(NOW), maxDeletesPerSecond: 50 }, NOW * 1000, SETTINGS);
  expect(coverageOf(request, 1)).toBeNull();
  expect(coverageOf(request, 0)).not.toBeNull();
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

/** Lets a sweep read the index and delete; one that fails leaves every other item. */
function sweep(
  all: Item[],
  { at, lookbackMinutes, readsAfter, deletesAfter, unindexesAfter, fails }: Made,
): Span | null {
  const startedAt = NOW + at;
  const readAt = startedAt + readsAfter;
  const deletedAt = readAt + deletesAfter;
  const request = readSweepInput(
    { scheduledTime: iso(startedAt), lookbackMinutes },
    startedAt * 1000,
    SETTINGS,
  );
  const due = all.filter(
    ({ ttl, shownAt, deletedAt: before }) =>
      shownAt <= readAt && before > readAt && ttl >= request.windowsFrom && ttl <= request.cutoff,
  );
  for (const [index, item] of due.entries()) {
    if (fails && index % 2 === 0) continue;
    item.deletedAt = Math.min(item.deletedAt, deletedAt);
    item.goneFromIndexAt = item.deletedAt + unindexesAfter;
  }
  // One that has not ended, or failed, promises nothing.
  return fails || deletedAt > NOW ? null : coverageOf(request, 0);
}
test('never says that something is gone which is there, whatever was written, swept and seen late', () => {
  fc.assert(
    fc.property(items, sweeps, fc.integer({ min: 1, max: 5 }), (all, made, minutes) => {
      const covered = [...made].sort((a, b) => a.at - b.at).flatMap(each => sweep(all, each) ?? []);
      const from = NOW - minutes * 60;
      const seen = all.filter(
        ({ ttl, shownAt, goneFromIndexAt }) =>
          shownAt <= NOW && goneFromIndexAt > NOW && ttl >= from && ttl <= NOW,
      );
      const oldest = seen.length === 0 ? null : Math.min(...seen.map(({ ttl }) => ttl));
      const gone = goneBy(look({ read: { from, upTo: NOW }, oldest }), covered);
      if (!gone.known) return;
      const there = all.filter(
        ({ ttl, writtenAt, deletedAt }) =>
          // As writers do; what is written when it has expired already is not claimed.
          writtenAt <= ttl && deletedAt > NOW && ttl >= gone.since && ttl <= gone.by,
      );
      expect(there).toEqual([]);
    }),
    { numRuns: 2000 },
  );
});
