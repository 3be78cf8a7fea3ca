import { readExecutionReport } from '../../../functions/report/sweep-totals.ts';

const OF_A_TABLE = { found: 1, deleted: 1 };

test.each<[string, unknown]>([
  ["a tick's", { tables: { T: OF_A_TABLE } }],
  ["a tick's that had nothing to do", { tables: {} }],
  ["a tick's that could not record it", { tables: {}, notRecorded: 'JournalUnwritableError' }],
])('reads %s, as a value and as JSON', (_whose, said) => {
  expect(readExecutionReport(said)).toEqual(said);
  expect(readExecutionReport(JSON.stringify(said))).toEqual(said);
});

test.each([undefined, null, '', 'Lambda was unknown.', '[]', '{}', { tables: 'T' }])(
  'there is none in %j',
  said => {
    expect(readExecutionReport(said)).toBeUndefined();
  },
);
