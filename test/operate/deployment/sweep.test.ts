import { failureInWords } from '../../../operate/deployment/sweep.ts';
import { wholeReport } from '../../../operate/sweep-rows.ts';
import type { ListedFailure } from '../../../statemachine/contract/keys.ts';
import { BUSY, REFUSED } from '../../../statemachine/contract/machines.ts';
import type { SweepReport } from '../../../statemachine/contract/report.ts';

const failed = (reason: string): ListedFailure => ({ key: { id: { S: 'secret' } }, reason });
const unplanned = (error: string, message: string) => ({ tablesFailed: 1, failure: { error, message } });

test.each<[string, Partial<SweepReport>]>([
  [
    '2 of 1,200 items could not be deleted (ValidationError, Unprocessed)',
    {
      found: 1200,
      failed: 2,
      failedKeys: [failed('ValidationError'), failed('Unprocessed'), failed('ValidationError')],
    },
  ],
  ['1 child did not get through', { shardsFailed: 1 }],
  [
    '2 of 1,200 items could not be deleted, and 3 children did not get through',
    { found: 1200, failed: 2, shardsFailed: 3 },
  ],
  [
    'DynamoDB throttled it, or did not answer, for longer than a sweep waits: Query of i',
    unplanned(BUSY, 'Query of i'),
  ],
  [
    'Lambda refused to run its functions: the account runs as many at once as it may',
    unplanned(REFUSED, 'Rate exceeded'),
  ],
  [
    'the table or its index is not there: Requested resource not found',
    unplanned('ResourceNotFoundException', 'Requested resource not found'),
  ],
  [
    'a role lacks a permission: User: r is not authorized to perform: dynamodb:Query',
    unplanned('AccessDeniedException', 'User: r is not authorized to perform: dynamodb:Query'),
  ],
  ['InvalidSettingsError: shards: expected', unplanned('InvalidSettingsError', 'shards: expected\nmore')],
])('says: %s', (expected, report) => {
  expect(failureInWords(wholeReport(report))).toBe(expected);
});

test('a message that is long prose is cut', () => {
  expect(failureInWords(wholeReport(unplanned('Error', 'x'.repeat(1000))))).toHaveLength(
    'Error: '.length + 201,
  );
});
