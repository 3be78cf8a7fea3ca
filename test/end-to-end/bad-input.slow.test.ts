/** @jest-environment ./test/support/dynamodb-environment.ts */
import { useLocalSweep } from '../support/local-sweep.ts';

const local = useLocalSweep([{ tableName: 'Sessions', partitionKey: 'id' }], {
  functions: { maxConcurrency: 1 },
});

test.each<[string, object, string]>([
  ['neither form', {}, 'scheduledTime: expected either scheduledTime, or from and to'],
  ['both forms', { scheduledTime: '2026-11-20T09:00:00Z', from: 'x', to: 'y' }, 'not both'],
  ['not a time', { scheduledTime: 'now' }, 'scheduledTime: expected a time in ISO-8601'],
  [
    'from after to',
    { from: '2026-11-20T09:00:00Z', to: '2026-11-20T08:00:00Z' },
    'from: expected a time before to',
  ],
  [
    'a dry run that is null',
    { from: '2023-11-14T00:00:00Z', to: '2023-11-15T00:00:00Z', dryRun: null },
    'dryRun: expected true or false, got null',
  ],
  [
    'a lookback that is null',
    { scheduledTime: '2026-11-20T09:00:00Z', fromNow: null },
    'fromNow: expected true or false, got null',
  ],
  ['more than five years ago', { from: '2019-01-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }, 'five years'],
])('an execution with %s fails at once and names the field', async (_name, input, message) => {
  await local.put('Sessions', [{ id: 'a', ttl: 1_700_000_000 }]);
  const { execution } = await local.sweep('Sessions', input);
  expect(execution).toMatchObject({ status: 'FAILED', error: 'InvalidExecutionInputError' });
  expect(execution.cause).toContain(message);
  expect(execution.cause).toContain('Nothing was swept.');
  expect(await local.scan('Sessions')).toHaveLength(1);
});
