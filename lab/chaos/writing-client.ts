import { Agent } from 'node:http';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { localDynamoDb } from 'aws-on-loopback/dynamodb/clients';

/** DynamoDB Local closes a connection after 30 s without requests. A request at that moment fails: "socket hang up". */
const IDLE_MS = 10_000;
/** The default of the SDK's own agent. */
const MAX_SOCKETS = 50;

/**
 * Client of the writers. It makes one attempt: after a broken connection a retry would hide the effect of the first attempt.
 * @param idleMs how long it keeps an unused connection
 */
export function writingClient(endpoint: string, region: string, idleMs = IDLE_MS): DynamoDBClient {
  const httpAgent = new Agent({ keepAlive: true, timeout: idleMs, maxSockets: MAX_SOCKETS });
  return localDynamoDb(endpoint, region, { maxAttempts: 1, requestHandler: { httpAgent } });
}
