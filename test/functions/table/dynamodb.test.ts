import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { createDocuments, requestTimeoutMs } from '../../../functions/table/dynamodb.ts';
import { isBusy } from '../../../functions/table/dynamodb-errors.ts';

test.each([
  [2, 1, 1500],
  [3, 2, 1125],
  [10, 2, 3750],
  [15, 1, 5000],
])('a task of %d s with %d attempts gives each request %d ms', (seconds, attempts, expected) => {
  expect(requestTimeoutMs(seconds, attempts)).toBe(expected);
});

test('a DynamoDB that does not answer in time is busy', async () => {
  const silent = createServer(socket => void socket.on('error', () => undefined));
  await new Promise<void>(listening => silent.listen(0, '127.0.0.1', listening));
  const { port } = silent.address() as AddressInfo;
  const documents = createDocuments(
    { maxAttempts: 1 },
    {
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    },
  );
  const query = new QueryCommand({ TableName: 'silent', KeyConditionExpression: 'id = :id' });
  const error = await documents.send(query, { requestTimeout: 50 }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: 'TimeoutError' });
  expect(isBusy(error)).toBe(true);
  documents.destroy();
  silent.close();
});
