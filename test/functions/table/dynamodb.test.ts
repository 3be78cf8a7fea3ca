import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { answeredAt, createDocuments, requestTimeoutMs } from '../../../functions/table/dynamodb.ts';
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

test.each<[string | undefined, number | undefined]>([
  ['Fri, 20 Nov 2026 09:00:07 GMT', Date.parse('2026-11-20T09:00:07Z') / 1000],
  ['tomorrow', undefined],
  [undefined, undefined],
])('an answer with the date %s tells its time', async (date, expected) => {
  const server = createHttpServer((incoming, answer) => {
    incoming.resume();
    answer.sendDate = false;
    if (date !== undefined) answer.setHeader('date', date);
    answer.setHeader('content-type', 'application/x-amz-json-1.0');
    answer.end('{"Items": [{"id": {"N": "1"}}]}');
  });
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
  const documents = createDocuments(
    { maxAttempts: 1 },
    {
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    },
  );
  const query = new QueryCommand({ TableName: 'any', KeyConditionExpression: 'id = :id' });
  const answer = await documents.send(query);
  expect(answer.Items).toHaveLength(1);
  expect(answeredAt(answer)).toBe(expected);
  documents.destroy();
  server.close();
});
