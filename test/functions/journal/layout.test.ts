import { advanced, type SweptSpan } from '../../../functions/journal/layout.ts';

const TICK = '2026-11-20T09:00:00.000Z';
const OTHER = '2026-11-20T09:00:20.000Z';
const MARK = { since: 0, gone: 99, at: TICK, shards: 1 };

/** A note of [from, to), of one part by default. */
const span = (from: number, to: number, part = 0, parts = 1, tick = TICK): SweptSpan => ({
  from,
  to,
  part,
  parts,
  tick,
});

test.each<[string, SweptSpan[], number]>([
  ['nothing', [], 99],
  ['what follows on', [span(100, 200)], 199],
  ['spans in any order', [span(300, 400), span(100, 200), span(200, 300)], 399],
  ['spans up to a gap', [span(100, 200), span(201, 300)], 199],
  ['only what lies behind a gap', [span(101, 300)], 99],
  ['what begins before it', [span(50, 150)], 149],
  ['what lies before it', [span(10, 50)], 99],
  ['the same note twice', [span(100, 200), span(100, 200)], 199],
  ['all parts, as far as the last of them', [span(100, 200, 0, 2), span(100, 160, 1, 2)], 159],
  ['one part of two', [span(100, 200, 0, 2)], 99],
  ['one part of two, twice', [span(100, 200, 1, 2), span(100, 200, 1, 2)], 99],
  ['behind a span of which a part is missing', [span(100, 200, 0, 2), span(200, 300)], 99],
  ['a part each of two ticks', [span(100, 200, 0, 2), span(100, 200, 1, 2, OTHER)], 99],
  ['two ticks with the same beginning', [span(100, 200, 0, 2), span(100, 150, 0, 1, OTHER)], 149],
  ['what another tick has swept further', [span(100, 150), span(100, 300, 0, 1, OTHER)], 299],
])('a watermark moves over %s', (_name, swept, gone) => {
  expect(advanced({ ...MARK, swept })).toEqual({ ...MARK, gone });
});
