import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { QueryCommand, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
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

/** A query of a DynamoDB that answers like this. */
async function queried(listener: RequestListener, requestTimeout = 5_000): Promise<QueryCommandOutput> {
  const server = createServer(listener);
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
  try {
    return await documents.send(query, { requestTimeout });
  } finally {
    documents.destroy();
    server.close();
    server.closeAllConnections();
  }
}

test('a DynamoDB that does not answer in time is busy', async () => {
  const error = await queried(() => undefined, 50).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: 'TimeoutError' });
  expect(isBusy(error)).toBe(true);
});

test.each<[string | undefined, number | undefined]>([
  ['Fri, 20 Nov 2026 09:00:07 GMT', Date.parse('2026-11-20T09:00:07Z') / 1000],
  ['tomorrow', undefined],
  [undefined, undefined],
])('an answer with the date %s tells its time', async (date, expected) => {
  const answer = await queried((incoming, response) => {
    incoming.resume();
    response.sendDate = false;
    if (date !== undefined) response.setHeader('date', date);
    response.setHeader('content-type', 'application/x-amz-json-1.0');
    response.end('{"Items": [{"id": {"N": "1"}}]}');
  });
  expect(answer.Items).toHaveLength(1);
  expect(answeredAt(answer)).toBe(expected);
});
