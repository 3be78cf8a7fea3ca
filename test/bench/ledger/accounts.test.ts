import { type Ended, wrongCounts } from '../../../bench/ledger/accounts.ts';

const COUNTS = { found: 10, deleted: 6, renewed: 2, notFound: 1, failed: 1, retries: 4 };

const said = (report: object) => JSON.stringify({ tables: { t: report } });

function ended(overrides: Partial<Ended> = {}): Ended {
  return { name: 'x', status: 'SUCCEEDED', error: undefined, text: said(COUNTS), ...overrides };
}

test.each<[string, Partial<Ended>]>([
  ['that went well', {}],
  ['that left something', { status: 'FAILED', error: 'SweepIncompleteError' }],
  ['that failed on the way', { status: 'FAILED', error: 'DynamoDbBusyError', text: 'throttled' }],
  ['that was stopped', { status: 'ABORTED', text: undefined }],
  [
    'that could not record',
    {
      status: 'FAILED',
      error: 'SweepIncompleteError',
      text: JSON.stringify({ tables: {}, notRecorded: 'JournalUnwritableError' }),
    },
  ],
])('nothing is wrong with an execution %s', (_which, end) => {
  expect(wrongCounts(ended(end))).toEqual([]);
});

test.each([
  [
    'counts that do not add up',
    { ...COUNTS, deleted: 7 },
    'x found 10, but deleted 7 + renewed 2 + notFound 1 + failed 1 = 11',
  ],
  ['a missing count', { ...COUNTS, failed: undefined }, '= NaN'],
])('finds %s', (_case, report, message) => {
  expect(wrongCounts(ended({ text: said(report) }))).toEqual([expect.stringContaining(message)]);
});

test('finds an execution without a report', () => {
  expect(wrongCounts(ended({ text: 'oh' }))).toEqual(['x ended SUCCEEDED without a report: oh']);
});
