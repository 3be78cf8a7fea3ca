import fc from 'fast-check';
import { INDEX_SECONDS, type Watermark } from '../../../functions/journal/layout.ts';
import { type Gone, goneBy, type Look, type Span } from '../../../operate/status/gone.ts';

const NOW = 1_000_000;
const READ = { from: NOW - 600, upTo: NOW };
/** A look that found items, given by the seconds since they were due; `more` further ones are not listed. */
const look = ({ read = [READ], found = [], more = 0 }: Partial<Given> = {}): Look => ({
  readAt: NOW,
  read,
  overdue: found.length + more,
  named: found.map(before => ({ key: {}, ttl: NOW - before })),
});
interface Given {
  readonly read: readonly Span[];
  readonly found: readonly number[];
  readonly more: number;
}
/** The span without due items relative to the look, and for each remaining item the seconds since it was due. */
const said = (gone: Gone) => {
  if (!gone.known) return gone.because;
  const { since, by, left } = gone;
  return [since - NOW, by - NOW, ...left.map(({ ttl }) => NOW - ttl)];
};

const watermark = (since: number, gone: number): Watermark => ({
  since: NOW + since,
  gone: NOW + gone,
  at: '',
  shards: 1,
});
const NONE = undefined;
const upTo = (end: number) => ({ read: [{ from: NOW - 600, upTo: NOW + end }] });

test.each<[string, Partial<Given> | undefined, Watermark | undefined, readonly number[] | string]>([
  ['nothing is found', {}, NONE, [-600, -INDEX_SECONDS]],
  ['an item is found', { found: [60] }, NONE, [-600, -61]],
  ['an item is found that has just expired', { found: [1] }, NONE, [-600, -INDEX_SECONDS]],
  ['a straggler is named', { found: [400] }, NONE, [-600, -INDEX_SECONDS, 400]],
  ['a straggler is named before a backlog', { found: [400, 90, 89], more: 50 }, NONE, [-600, -91, 400]],
  ['a backlog is none', { found: [400, 399, 398], more: 50 }, NONE, [-600, -401]],
  [
    'the index could not be asked, and ticks did',
    undefined,
    watermark(-4200, -60),
    [-4200, -60 - INDEX_SECONDS],
  ],
  ['there is a backlog of longer than was read', { found: [601, 600], more: 9 }, NONE, 'overdue'],
  [
    'there is a gap of which nobody knows',
    { read: [upTo(-301).read[0] as Span, { ...READ, from: NOW - 240 }] },
    NONE,
    [-600, -301],
  ],
  ['time ran out', upTo(-400), NONE, [-600, -400]],
  ['nothing was read', { read: [] }, NONE, 'not-read'],
  ['the index could not be asked', undefined, NONE, 'unanswered'],
  ['ticks left nothing before', {}, watermark(-4200, -601 + INDEX_SECONDS), [-4200, -INDEX_SECONDS]],
  ['there is a gap of a second', {}, watermark(-4200, -602 + INDEX_SECONDS), [-4200, -602]],
])('%s', (_name, given, known, expected) => {
  expect(said(goneBy(given && look(given), { watermark: known }))).toEqual(expected);
});

/** The history of an item: it was written, expired, and appeared in the index some time later. Seconds relative to NOW. */
interface Item {
  readonly ttl: number;
  readonly writtenAt: number;
  readonly shownAt: number;
  /** The time when a sweep deleted it, and the time when its entry left the index. */
  deletedAt: number;
  goneFromIndexAt: number;
}

const NEVER = Number.POSITIVE_INFINITY;
/** The span is short, so that sweeps meet items. */
const SPAN = 300;

/** Times near whole minutes, where one sweep ends and another look begins. */
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

/** A sweep in the past, in seconds. */
interface Made {
  /** Its start, relative to NOW. */
  readonly at: number;
  readonly lookbackMinutes: number;
  /** Delays from the start to the reading of the index, from there to the deletes, and from there until the entries leave the index. */
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

/** Makes a tick read the index, record what it found as PlanSweep does, and delete; a failing tick leaves every second item. */
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
  return { since, gone: Math.min(cutoff, ...due.map(({ ttl }) => ttl - 1)), at: '', shards: 1 };
}

test('it says until when a gap lasts, and nothing of one where it ends before', () => {
  const known = { watermark: watermark(-4200, -900) };
  expect(goneBy(look(), known)).toMatchObject({ by: NOW - 900 - INDEX_SECONDS, gapUntil: NOW - 600 });
  expect(goneBy(look({ found: [3000, 2999], more: 9 }), known)).toMatchObject({
    by: NOW - 3001,
    gapUntil: null,
  });
  expect(goneBy(look(), { watermark: watermark(-4200, -300) })).toMatchObject({ gapUntil: null });
});

test('never says that something is gone which is there, whatever was written, swept and seen late', () => {
  fc.assert(
    fc.property(
      items,
      sweeps,
      fc.integer({ min: 1, max: 5 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 6 }),
      (all, made, minutes, isAsked, nameable) => {
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
        const inTime = seen.toSorted((one, other) => one.ttl - other.ttl);
        const shown: Look = {
          readAt: NOW,
          read: [{ from, upTo: NOW }],
          overdue: seen.length,
          named: inTime.slice(0, nameable).map(({ ttl }, index) => ({ key: { id: { N: `${index}` } }, ttl })),
        };
        const gone = goneBy(isAsked ? shown : undefined, { watermark: known });
        if (!gone.known) return;
        const { by, since, left } = gone;
        const there = all.filter(
          item =>
            // Writers write items before they expire; nothing is claimed about other items.
            item.writtenAt <= item.ttl &&
            item.deletedAt > NOW &&
            item.ttl >= since &&
            item.ttl <= by &&
            !left.some(({ key }) => inTime[Number((key['id'] as { N: string }).N)] === item),
        );
        expect(there).toEqual([]);
      },
    ),
    { numRuns: 2000 },
  );
});
