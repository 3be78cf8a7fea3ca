import {
  type Deeds,
  falseCause,
  falseStatements,
  falseTrend,
  type JudgedLook,
  type TableScan,
} from '../../../lab/experiments/status/oracle.ts';
import type { TableReport } from '../../../operate/status/report.ts';

const NOW = Date.parse('2026-11-21T20:00:00Z');
const iso = (seconds: number) => new Date(NOW + seconds * 1000).toISOString();

/** What a table had, by how long the items have been expired, seconds; `at`, seconds after the look began. */
const scan = (at: number, items: Readonly<Record<string, number>>): TableScan => ({
  from: NOW + at * 1000,
  to: NOW + at * 1000,
  items: new Map(Object.entries(items).map(([id, expired]) => [id, { id, ttl: NOW / 1000 - expired }])),
});

const DEEDS: Deeds = {
  troubles: [],
  pauses: [],
  limits: [],
  throttled: [],
  rate: 10,
  writtenLate: new Set(),
  failures: [],
  ticks: new Set([NOW - 60_000]),
};

interface Said extends Partial<Omit<TableReport, 'overdue' | 'cause'>> {
  readonly overdue?: Partial<TableReport['overdue']>;
  readonly cause?: Partial<NonNullable<TableReport['cause']>>;
}

const HUNDRED = Object.fromEntries(
  Array.from({ length: 100 }, (_unused, index) => [`item-${index}`, 30 + index]),
);

/** A look at a hundred items that are overdue, which says these things of them. */
function look(said: Said, before = HUNDRED, after = before): JudgedLook {
  const overdue = {
    items: Object.keys(before).length,
    atLeast: false,
    why: null,
    trend: null,
    ...said.overdue,
  };
  const report = { verdict: 'warnings', cause: null, gone: null, handOver: null, ...said, overdue };
  return { report: report as TableReport, before: scan(-1, before), after: scan(1, after) };
}
const gone = (by: number, left: readonly string[] = [], since: number | null = null) => ({
  since: since === null ? null : iso(since),
  by: iso(by),
  ...{ gapUntil: null, exceptions: 0 },
  left: left.map(id => ({ key: JSON.stringify({ id: { S: id } }), due: iso(0) })),
});

test.each<[string, JudgedLook, readonly (string | RegExp)[]]>([
  ['all is true', look({ gone: gone(-130) }), []],
  ['an item is there that was said to be gone', look({ gone: gone(-129) }), [/1 are there, such as item-99/]],
  ['it was named', look({ gone: gone(-129, ['item-99']) }), []],
  ['it was deleted during the look', look({ gone: gone(-129) }, { gone: 129 }, {}), []],
  ['it is before what was claimed', look({ gone: gone(-100, [], -128) }, { before: 129 }), []],
  [
    'what was named is not there',
    look({ gone: gone(-200, ['another']) }),
    [/1 are not there, such as another/],
  ],
  ['two fewer are as good as all', look({ overdue: { items: 98 } }), []],
  ['three are not', look({ overdue: { items: 97 } }), ['overdue: 97, and 100 are']],
  ['three more are not', look({ overdue: { items: 103 } }), ['overdue: 103, and at most 100 are']],
  ['a lower bound may be low', look({ overdue: { items: 3, atLeast: true, why: 'slow' } }), []],
  ['but not without a reason', look({ overdue: { items: 3, atLeast: true } }), [/without a reason/]],
  ['nor 0', look({ overdue: { items: 0, atLeast: true, why: 'slow' } }), ['overdue: at least 0']],
  ['nor too high', look({ overdue: { items: 103, atLeast: true, why: 'slow' } }), [/at most 100/]],
  ['it is fine, and is not', look({ verdict: 'fine' }, { old: 300 }), [/^fine, and 1 are overdue/]],
])('%s', (_name, judged, expected) => {
  const found = falseStatements(judged, DEEDS);
  expect(found).toHaveLength(expected.length);
  for (const [index, each] of expected.entries()) expect(found[index]).toMatch(each);
});

const since = (seconds: number) => ({ from: NOW + seconds * 1000 });
const during = (from: number, to: number) => ({ from: NOW + from * 1000, to: NOW + to * 1000 });
const throttled = (seconds: number, count: number) =>
  Array.from({ length: count }, () => NOW - seconds * 1000);
const said = (id: string, text = '') => ({ cause: { id, text } }) as Said;

test.each<[string, Said, Partial<Deeds>, boolean]>([
  ['nobody did anything', {}, {}, true],
  ['it was paused, and nobody says so', {}, { pauses: [{ what: true, ...since(-9) }] }, false],
  ['it was paused during the look', {}, { pauses: [{ what: true, ...since(0) }] }, true],
  ['it is late, and was paused', said('late'), { pauses: [{ what: true, ...since(-9) }] }, false],
  ['it is paused', said('paused'), { pauses: [{ what: true, ...since(-9) }] }, true],
  ['it was', said('paused'), { pauses: [{ what: true, ...during(-9, -2) }] }, false],
  [
    'DynamoDB hangs',
    said('dynamoDbSilent', `since ${iso(-5)}`),
    { troubles: [{ what: 'hangs', ...since(-6) }] },
    true,
  ],
  [
    'it hangs, for longer than is said',
    said('dynamoDbSilent', `since at least ${iso(-5)}`),
    { troubles: [{ what: 'hangs', ...since(-60) }] },
    true,
  ],
  [
    'it does not',
    said('dynamoDbSilent', `since ${iso(-5)}`),
    { troubles: [{ what: 'hangs', ...during(-60, -20) }] },
    false,
  ],
  [
    'it hangs, and it says something else',
    said('late'),
    { troubles: [{ what: 'hangs', ...since(-6) }] },
    false,
  ],
  [
    'it throttles queries',
    said('indexThrottled'),
    { troubles: [{ what: 'queriesThrottled', ...since(-6) }] },
    true,
  ],
  [
    'it throttles deletes',
    said('indexThrottled'),
    { troubles: [{ what: 'deletesThrottled', ...since(-6) }] },
    false,
  ],
  [
    'so many were throttled',
    said('deletesThrottled', 'deletes: at least 1,540 in the last minute'),
    { throttled: throttled(20, 1_540) },
    true,
  ],
  [
    'fewer were',
    said('deletesThrottled', 'deletes: at least 1,540 in the last minute'),
    { throttled: throttled(20, 1_500) },
    false,
  ],
  [
    'they were, long ago',
    said('deletesThrottled', 'deletes: at least 1,540 in the last minute'),
    { throttled: throttled(90, 1_540) },
    false,
  ],
  ['it is limited', said('limited', 'limit 5/s'), { limits: [{ what: 5, ...since(-6) }] }, true],
  ['to something else', said('limited', 'limit 5/s'), { limits: [{ what: 6, ...since(-6) }] }, false],
  [
    'it cannot catch up',
    said('limited', 'limit 5/s, at least 9.9/s expire: it will not'),
    { limits: [{ what: 5, ...since(-6) }] },
    true,
  ],
  [
    'it can',
    said('limited', 'limit 20/s, at least 9.9/s expire: it will not'),
    { limits: [{ what: 20, ...since(-6) }] },
    false,
  ],
  [
    'less expires',
    said('limited', 'limit 5/s, at least 12/s expire: it will not'),
    { limits: [{ what: 5, ...since(-6) }] },
    false,
  ],
  ['no tick has planned', said('noTick', `since ${iso(-60)}`), {}, true],
  ['one has', said('noTick', `since ${iso(-120)}`), {}, false],
  ['a sweep failed', said('failing'), { failures: [NOW - 20_000] }, true],
  ['none did', said('failing'), {}, false],
  ['nothing of that kind', said('scheduleOff'), {}, false],
])('causes: %s', (_name, given, deeds, isTrue) => {
  expect(falseCause(look(given), { ...DEEDS, ...deeds }) === undefined).toBe(isTrue);
});

test('a rate that was not is found', () => {
  const counts = [
    { at: NOW - 21_000, least: 990, most: 1_000 },
    { at: NOW - 1_000, least: 800, most: 810 },
  ];
  const told = (fewerPerSecond: number) =>
    falseTrend(
      look({ overdue: { trend: { fewerPerSecond, measuredSeconds: 20, caughtUpAt: null } } }),
      counts,
    );
  expect(told(10)).toBeUndefined();
  expect(told(-10)).toMatch(/^trend: -200 fewer in 20 s, and it was from 180 to 200$/);
  expect(told(12)).toMatch(/^trend/);
});
