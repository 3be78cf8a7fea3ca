/** @jest-environment ./test/support/dynamodb-environment.ts */
import { ListExecutionsCommand, UpdateStateMachineCommand } from '@aws-sdk/client-sfn';
import { type Execution, VirtualClock } from 'stepfunctions-emulator';
import { freePort, isFree } from '../../local/ports.ts';
import { type ServedCloud, serve } from '../../local/serve.ts';
import { sfnClient } from '../../packages/stepfunctions-emulator/test/api/support.ts';
import { plainStack } from '../../stacks/app.ts';
import { configOf } from '../support/configs.ts';
import { dynamoDbOfFile } from '../support/local-dynamodb.ts';

const stack = plainStack(configOf({ tableName: 'Served', partitionKey: 'id' }));
const ports = { dynamoDbPort: 0, sfnPort: 0 };
beforeAll(async () => {
  ports.dynamoDbPort = await freePort();
  ports.sfnPort = await freePort();
});
const nothing = () => {};
const expectFree = async () => {
  for (const port of Object.values(ports)) expect(await isFree(port)).toBe(true);
};

test('what the schedules start is not listed, and is what was updated in the API', async () => {
  const ended: Execution[] = [];
  let served: ServedCloud | undefined;
  let another = Promise.withResolvers<void>();
  const clock = new VirtualClock();
  try {
    served = await serve({
      ...ports,
      stack,
      schedules: true,
      environment: {},
      clock,
      onScheduleError: nothing,
      onExecution: execution => {
        ended.push(execution);
        another.resolve();
      },
    });
    const client = sfnClient(served.endpoint);
    await another.promise;
    const [first] = ended;
    expect(first?.status).toBe('SUCCEEDED');
    // A tick is an Express execution, which AWS does not list.
    const listed = client.send(new ListExecutionsCommand({ stateMachineArn: first?.machine.arn }));
    await expect(listed).rejects.toThrow('not supported by this type of state machine');

    const Updated = { Type: 'Fail', Error: 'Updated' };
    const definition = JSON.stringify({ QueryLanguage: 'JSONata', StartAt: 'Updated', States: { Updated } });
    await client.send(new UpdateStateMachineCommand({ stateMachineArn: first?.machine.arn, definition }));
    const isUpdated = () => ended.at(-1)?.error === 'Updated';
    while (!isUpdated() && ended.length < 50) {
      another = Promise.withResolvers();
      await another.promise;
    }
    expect(isUpdated()).toBe(true);
    client.destroy();
  } finally {
    await served?.stop();
  }
  await expectFree();
});

test('uses the DynamoDB that runs at its port', async () => {
  const { endpoint } = dynamoDbOfFile();
  const served = await serve({
    ...ports,
    dynamoDbPort: Number(new URL(endpoint).port),
    stack,
    schedules: false,
    environment: { AWS_ENDPOINT_URL_DYNAMODB: endpoint },
    onScheduleError: nothing,
    onExecution: nothing,
  });
  try {
    expect(served.dynamoDbEndpoint).toBe(endpoint);
  } finally {
    await served.stop();
  }
});
