import { NotLoopbackError } from 'stepfunctions-emulator';
import { localDynamoDb } from '../../src/dynamodb/clients.ts';
import { attachDynamoDb } from '../../src/dynamodb/dynamodb-local.ts';

test('every client refuses an endpoint that is not on this machine, and so does attaching', async () => {
  const real = 'https://dynamodb.us-east-1.amazonaws.com';
  expect(() => localDynamoDb(real, 'us-east-1')).toThrow(NotLoopbackError);
  await expect(attachDynamoDb(real)).rejects.toThrow(NotLoopbackError);
  await expect(attachDynamoDb(real)).rejects.toThrow('unset it to let the local cloud start its own');
});
