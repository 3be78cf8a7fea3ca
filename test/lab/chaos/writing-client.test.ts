import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { writingClient } from '../../../lab/chaos/writing-client.ts';

test('lets go of a connection that is idle, before DynamoDB Local closes it', async () => {
  let connections = 0;
  const server = createServer((_request, response) => response.end('{"TableNames":[]}'));
  server.on('connection', () => {
    connections += 1;
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const client = writingClient(`http://127.0.0.1:${port}`, 'us-east-1', 200);
  try {
    await client.send(new ListTablesCommand({}));
    await client.send(new ListTablesCommand({}));
    expect(connections).toBe(1);
    await sleep(500);
    await client.send(new ListTablesCommand({}));
    expect(connections).toBe(2);
  } finally {
    client.destroy();
    server.close();
  }
});
