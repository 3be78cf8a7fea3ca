import { failureInWords } from '../../../cli/deployment/failure-in-words.ts';
import { outcomeOf } from '../../../cli/deployment/sweep-outcome.ts';
import { BUSY, type ListedFailure, REFUSED, SWEEP_INCOMPLETE } from '../../../statemachine/contract.ts';

const lambda = (errorMessage: string) => JSON.stringify({ errorType: 'E', errorMessage, trace: ['at x'] });
const words = (status: string, error?: string, cause?: string, failedKeys: readonly ListedFailure[] = []) =>
  failureInWords({
    status,
    error,
    cause,
    outcome: outcomeOf(JSON.parse(cause?.startsWith('{') ? cause : '{}')),
    failedKeys,
  });

const report = (over: object) => JSON.stringify({ found: 1200, deleted: 1198, failed: 2, ...over });
const failed = (reason: string): ListedFailure => ({ key: { id: { S: 'secret' } }, reason });

test.each<[string | undefined, Parameters<typeof words>]>([
  [undefined, ['SUCCEEDED']],
  [undefined, ['RUNNING']],
  [
    '2 of 1,200 items could not be deleted (ValidationError, Unprocessed)',
    [
      'FAILED',
      SWEEP_INCOMPLETE,
      report({}),
      [failed('ValidationError'), failed('Unprocessed'), failed('ValidationError')],
    ],
  ],
  ['1 child did not get through', ['FAILED', SWEEP_INCOMPLETE, report({ failed: 0, shardsFailed: 1 })]],
  [
    '2 of 1,200 items could not be deleted, and 3 children did not get through',
    ['FAILED', SWEEP_INCOMPLETE, report({ shardsFailed: 3 })],
  ],
  ['there was more to sweep than one execution may', ['FAILED', SWEEP_INCOMPLETE, report({ failed: 0 })]],
  [
    'its input is wrong: from: expected a time',
    ['FAILED', 'InvalidExecutionInputError', lambda('from: expected a time\nmore')],
  ],
  [
    'DynamoDB throttled it, or did not answer, for longer than a sweep waits: Query of i',
    ['FAILED', BUSY, lambda('Query of i')],
  ],
  [
    'Lambda refused to run its functions: the account runs as many at once as it may',
    ['FAILED', REFUSED, 'Rate exceeded'],
  ],
  [
    'a role lacks a permission: User: r is not authorized to perform: dynamodb:Query',
    ['FAILED', 'AccessDeniedException', lambda('User: r is not authorized to perform: dynamodb:Query')],
  ],
  [
    'a function did not answer in time: Task timed out',
    ['FAILED', 'Sandbox.Timedout', lambda('Task timed out')],
  ],
  [
    'a function could not be run: Runtime.ExitError: exited',
    ['FAILED', 'Runtime.ExitError', lambda('exited')],
  ],
  ['States.DataLimitExceeded: too long', ['FAILED', 'States.DataLimitExceeded', 'too long']],
  ['it failed without an error', ['FAILED']],
  ['it ran for longer than it may, and was stopped', ['TIMED_OUT', 'States.Timeout']],
  ['somebody stopped it: seen enough', ['ABORTED', 'Stop', 'seen enough']],
])('says: %s', (expected, given) => {
  expect(words(...given)).toBe(expected);
});

test('a cause that is long prose is cut', () => {
  expect(words('FAILED', 'Error', 'x'.repeat(1000))).toHaveLength('Error: '.length + 201);
});
