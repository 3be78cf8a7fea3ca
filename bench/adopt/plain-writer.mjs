/*
 * An application that knows nothing of this project: it writes items with a TTL, and renews some. Of packages it has AWS's client.
 *
 * Arguments: endpoint, table, a file of deeds (JSON: [{ atMs, id, expiresAt }, …], in the order of atMs, epoch milliseconds).
 * Prints a line for every hundred deeds that are done.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';

const [endpoint, table, file] = process.argv.slice(2);
const client = new DynamoDBClient({
  endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  maxAttempts: 8,
});
const deeds = JSON.parse(readFileSync(file, 'utf8'));
const WRITERS = 16;
let next = 0;

async function write() {
  while (next < deeds.length) {
    const { atMs, id, expiresAt } = deeds[next++];
    await sleep(Math.max(0, atMs - Date.now()));
    const Item = { id: { S: id }, expiresAt: { N: String(expiresAt) }, user: { S: 'somebody' } };
    await client.send(new PutItemCommand({ TableName: table, Item }));
  }
}

await Promise.all(Array.from({ length: WRITERS }, write));
