import { ListExecutionsCommand } from '@aws-sdk/client-sfn';
import { useStepFunctionsApi } from '../support/step-functions-api.ts';
import { create, mapRun, PASS, runToEnd, start } from './support.ts';

const api = useStepFunctionsApi({ kept: { characters: 50_000, names: 2 } });
const kept = async (stateMachineArn: string) => {
  const { executions } = await api.client.send(new ListExecutionsCommand({ stateMachineArn }));
  return executions?.map(one => one.executionArn);
};

test('executions are forgotten when their events tell too much together, the oldest first', async () => {
  const stateMachineArn = await create(api, PASS);
  const arns = [];
  // Each has its input four times at least: as input and output of its state, and its own.
  for (let index = 0; index < 3; index += 1) {
    arns.push(await runToEnd(api, stateMachineArn, { input: 'x'.repeat(5_000) }));
  }
  expect(await kept(stateMachineArn)).toEqual(arns.slice(1).toReversed());
});

test('what the children of a Map Run tell counts, and the last execution stays', async () => {
  const stateMachineArn = await create(api, mapRun('EXPRESS'));
  const small = await runToEnd(api, stateMachineArn, { input: [1] });
  const large = await runToEnd(api, stateMachineArn, { input: Array(20).fill('x'.repeat(500)) });
  expect(await kept(stateMachineArn)).toEqual([large]);
  expect(small).not.toBe(large);
});

test('a name is free again when enough others were taken after it', async () => {
  const stateMachineArn = await create(api, PASS);
  for (const name of ['one', 'two', 'three']) await runToEnd(api, stateMachineArn, { name });
  const taken = { name: 'ExecutionAlreadyExists' };
  await expect(start(api, stateMachineArn, { name: 'two', input: 1 })).rejects.toMatchObject(taken);
  await expect(start(api, stateMachineArn, { name: 'one', input: 1 })).resolves.toMatch(/:one$/);
});
