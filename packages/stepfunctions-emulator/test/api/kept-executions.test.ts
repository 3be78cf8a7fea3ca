import {
  DescribeExecutionCommand,
  GetExecutionHistoryCommand,
  ListExecutionsCommand,
  ListMapRunsCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import { useStepFunctionsApi } from '../support/step-functions-api.ts';
import { create, FAIL, mapRun, runToEnd } from './support.ts';

const api = useStepFunctionsApi({ kept: { executions: 10, characters: 75_000 } });
const kept = async (stateMachineArn: string) => {
  const { executions } = await api.client.send(new ListExecutionsCommand({ stateMachineArn }));
  return executions?.map(one => one.executionArn);
};

test('of executions whose events tell too much together, the oldest lose their history and stay in lists', async () => {
  const stateMachineArn = await create(api, FAIL);
  const arns: string[] = [];
  // Each has its input twice at least: its own, and that of its state.
  for (let index = 0; index < 4; index += 1) {
    arns.push(await runToEnd(api, stateMachineArn, { input: { index, text: 'x'.repeat(10_000) } }));
  }
  const [oldest = '', second = ''] = arns;
  expect(await kept(stateMachineArn)).toEqual(arns.toReversed());
  expect(await api.client.send(new DescribeExecutionCommand({ executionArn: oldest }))).toMatchObject({
    ...{ executionArn: oldest, stateMachineArn, status: 'FAILED', error: 'E', cause: 'C' },
    input: expect.stringContaining('"index":0'),
    startDate: expect.any(Date),
    stopDate: expect.any(Date),
  });
  const history = (executionArn: string) =>
    api.client
      .send(new GetExecutionHistoryCommand({ executionArn }))
      .then(({ events = [] }) => events.length);
  await expect(history(oldest)).rejects.toMatchObject({
    name: 'ExecutionDoesNotExist',
    message: expect.stringContaining('history was forgotten'),
  });
  expect(api.context.executions.get(oldest).execution.history).toEqual([]);
  expect(await history(second)).toBeGreaterThan(2);
  await expect(api.client.send(new StopExecutionCommand({ executionArn: oldest }))).resolves.toMatchObject({
    stopDate: expect.any(Date),
  });
});

test('what the children of a Map Run tell counts, and the last history stays', async () => {
  const stateMachineArn = await create(api, mapRun('EXPRESS'));
  const small = await runToEnd(api, stateMachineArn, { input: [1] });
  const large = await runToEnd(api, stateMachineArn, { input: Array(40).fill('x'.repeat(500)) });
  expect(await kept(stateMachineArn)).toEqual([large, small]);
  const runs = (executionArn: string) =>
    api.client.send(new ListMapRunsCommand({ executionArn })).then(({ mapRuns = [] }) => mapRuns.length);
  await expect(runs(small)).rejects.toMatchObject({ name: 'ExecutionDoesNotExist' });
  expect(await runs(large)).toBe(1);
});
