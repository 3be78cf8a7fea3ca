import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { ExpiredTable } from './expired-table.ts';
import { deleteInLoop } from './loop.ts';

const ROUNDS = 30;
const ITEMS = 300;

/**
 * Lets Java compile what deletes: the first deletes by PartiQL take it two seconds of processor time, and would be measured with what comes
 * after them.
 */
export async function warmUp(client: DynamoDBClient, table: ExpiredTable): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    await deleteInLoop(client, table.settings, await table.fill(ITEMS));
  }
}
