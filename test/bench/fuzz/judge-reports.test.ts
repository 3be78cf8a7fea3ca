import { judgeReports } from '../../../bench/fuzz/judge-reports.ts';
import { NO_DELETES, type Tally } from '../../../bench/fuzz/sdk.ts';

const TABLES = [{ name: 't', settings: { deleteMode: 'guarded' } }] as never;

const NONE = { deleted: 0, renewed: 0, notFound: 0, failed: 0, shardsFailed: 0 };

/** @param report what was found is the sum of its counts, unless it says so */
function judged(
  report: Partial<Record<keyof typeof NONE | 'found', number>> | undefined,
  answered: Partial<Tally>,
  how: object = {},
  isReceived = true,
) {
  const { deleted, renewed, notFound, failed } = { ...NONE, ...report };
  const whole = { ...NONE, found: deleted + renewed + notFound + failed, ...report };
  const text = report && JSON.stringify({ tables: { t: whole } });
  const calls = [{ tally: new Map([['t', { ...NO_DELETES, ...answered }]]), isReceived }];
  return judgeReports(
    { name: 'x', status: 'SUCCEEDED', error: undefined, text, calls, ...how },
    TABLES,
    false,
  );
}

const FAILED = { status: 'FAILED', error: 'SweepIncompleteError' };

test.each([
  ['what was answered', { deleted: 2 }, { deleted: 2, applied: 2 }, {}],
  [
    'a delete whose answer was lost and that was not found later',
    { deleted: 1, notFound: 1 },
    { deleted: 1, notFound: 1, applied: 2 },
    {},
  ],
  [
    'less than was answered, after an interruption',
    { deleted: 1, shardsFailed: 1 },
    { deleted: 2, applied: 2 },
    FAILED,
  ],
  ['nothing, of an execution that was stopped', undefined, { deleted: 2, applied: 2 }, { status: 'ABORTED' }],
  ['a key that was refused', { deleted: 1, failed: 1 }, { deleted: 1, applied: 1, refused: 1 }, FAILED],
])('a report may say %s', (_what, report, answered, how) => {
  expect(judged(report, answered, how)).toEqual([]);
});

test.each([
  ['more than was answered', { deleted: 3 }, { deleted: 2, applied: 3 }, {}, 'says deleted 3'],
  ['less than was answered', { deleted: 1 }, { deleted: 2, applied: 2 }, {}, 'says deleted 1'],
  ['a delete in no report', { deleted: 1 }, { deleted: 1, applied: 2 }, {}, 'DynamoDB deleted 2'],
  ['a refused key in no report', { deleted: 1 }, { deleted: 1, applied: 1, refused: 1 }, {}, 'refused'],
  [
    'a sum that is not what was found',
    { found: 3, deleted: 2 },
    { deleted: 2 },
    {},
    'found 3 of t, but deleted 2 +',
  ],
  ['a success without a report', undefined, {}, { text: 'oh' }, 'x ended SUCCEEDED without a report: oh'],
  ['a success that left keys', { failed: 1 }, { refused: 1 }, {}, 'succeeded and left 1'],
])('%s is found', (_what, report, answered, how, message) => {
  expect(judged(report, answered, how).map(({ id }) => id)).toContainEqual(expect.stringContaining(message));
});

test('deletes of a call whose result did not arrive count as applied only', () => {
  expect(judged({ deleted: 0 }, { deleted: 1, applied: 1 }, {}, false)).toHaveLength(1);
  expect(judged({ deleted: 0, notFound: 0, failed: 1 }, { deleted: 1, applied: 1 }, FAILED, false)).toEqual(
    [],
  );
});
