/** @jest-environment ./test/support/dynamodb-environment.ts */
import { runStatus } from '../../../lab/experiments/status.ts';
import { dynamoDbOfFile } from '../../support/local-dynamodb.ts';

test('status says nothing that is not true while DynamoDB throttles, hangs and dies, and the table is paused and limited', async () => {
  const printed: string[] = [];
  const { phases, problems } = await runStatus({
    minutes: 0.4,
    rate: 10,
    print: text => printed.push(text),
    signal: new AbortController().signal,
    environment: { AWS_ENDPOINT_URL_DYNAMODB: dynamoDbOfFile().endpoint },
  });
  expect(problems).toEqual([]);
  expect(phases.filter(({ looks }) => looks === 0)).toEqual([]);
  const causes = Object.fromEntries(phases.map(({ phase, causes }) => [phase, Object.keys(causes)]));
  expect(causes).toMatchObject({
    'DynamoDB hangs': ['dynamoDbSilent'],
    'DynamoDB is dead': ['dynamoDbSilent'],
    'queries throttled': ['indexThrottled'],
    paused: ['paused'],
  });
  expect(phases).toHaveLength(12);
  // The sentence was absolute, by the scan.
  expect(printed.join('\n')).toMatch(
    / {2}gone +everything that was due by \S+Z is gone(, all but .*)?\.\n +of the [\d,]+ entries/,
  );
});
