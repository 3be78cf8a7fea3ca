import { type InspectedSweep, wrongWith } from '../../../lab/chaos/inspection-verdict.ts';

const REPORT = { found: 13, deleted: 10, renewed: 2, notFound: 1, failed: 0 };
const ended = (report: object, name = 'x') => ({
  name,
  status: 'SUCCEEDED',
  error: undefined,
  text: JSON.stringify(report),
});

const sweep = (overrides: Partial<InspectedSweep> = {}, report: object = REPORT): InspectedSweep => ({
  name: 'tick',
  ended: [ended({ tables: { Chaos: report } })],
  laidOut: 10,
  laidOutRenewed: 2,
  left: [],
  removed: 10,
  renewed: { least: 2, most: 2 },
  notFound: { least: 1, most: 1 },
  handedOn: 1,
  unanswered: 0,
  ...overrides,
});

test('nothing is wrong with a sweep that left nothing and counted what it did', () => {
  expect(wrongWith(sweep())).toEqual([]);
});

test.each([
  ['left something', { left: ['a'] }, 'the tick left 1 expired items (10 were laid out for it): a'],
  [
    'left a lot',
    { left: ['a', 'b', 'c', 'd', 'e', 'f'] },
    'the tick left 6 expired items (10 were laid out for it): a, b, c, d, e, …',
  ],
  ['had no child that handed on', { handedOn: 0 }, 'no child of the tick ended for want of time'],
  [
    'came upon nothing renewed',
    { renewed: { least: 0, most: 0 } },
    'the tick came upon nothing that had been renewed',
  ],
  ['deleted more than it says', { removed: 11 }, 'reports deleted 10, but 11 went by the stream'],
  ['deleted less than it says', { removed: 9 }, 'reports deleted 10, but 9 went by the stream'],
  [
    'found less renewed',
    { renewed: { least: 0, most: 1 } },
    'reports renewed 2, but 0 to 1 had been renewed by the application',
  ],
  [
    'says that more was gone',
    { notFound: { least: 0, most: 0 } },
    'reports notFound 1, but 0 had been deleted by the application',
  ],
])('fails a sweep that %s', (_case, overrides, sentence) => {
  expect(wrongWith(sweep(overrides)).join('\n')).toContain(sentence);
});

test('adds what a tick handed over to what it did itself', () => {
  const left = { found: 4, deleted: 4, renewed: 0, notFound: 0, failed: 0 };
  const both = [ended({ tables: { Chaos: { ...REPORT, found: 9, deleted: 6 } } }), ended(left, 'x-0')];
  expect(wrongWith(sweep({ ended: both }))).toEqual([]);
  expect(wrongWith(sweep({ ended: both.slice(0, 1) }))).toEqual([
    'the tick reports deleted 6, but 10 went by the stream',
  ]);
});

// A machine that is busy: the delete took effect, and nobody heard of it.
test.each([
  ['deleted and renewed without an answer', { removed: 14, renewed: { least: 3, most: 3 } }, REPORT],
  ['deleted without an answer, and found them gone', { removed: 14 }, { ...REPORT, notFound: 5 }],
])('takes a sweep that %s, for as many keys as a call has', (_case, overrides, report) => {
  expect(wrongWith(sweep({ ...overrides, unanswered: 1 }, report))).toEqual([]);
  expect(wrongWith(sweep(overrides, report))).not.toEqual([]);
});

test.each([
  ['deleted more than calls without an answer can have', { removed: 36 }, 'deleted 10, but 11 to 36 went'],
  ['deleted less than it says', { removed: 9 }, 'deleted 10, but 0 to 9 went'],
  [
    'says that more was renewed',
    { renewed: { least: 1, most: 1 } },
    'renewed 2, but 0 to 1 had been renewed',
  ],
])('fails a sweep that %s', (_case, overrides, sentence) => {
  expect(wrongWith(sweep({ ...overrides, unanswered: 1 })).join('\n')).toContain(sentence);
});

test('fails a sweep that ended badly, with what it said', () => {
  const failed = { name: 'x', status: 'FAILED', error: 'Sandbox.Timedout', text: 'too slow' };
  expect(wrongWith(sweep({ ended: [failed] }))).toEqual(['the tick ended FAILED: Sandbox.Timedout too slow']);
});

test('without renewals nothing renewed is expected', () => {
  const none = { least: 0, most: 0 };
  const report = { ...REPORT, renewed: 0, notFound: 0 };
  expect(wrongWith(sweep({ laidOutRenewed: 0, renewed: none, notFound: none }, report))).toEqual([]);
});
