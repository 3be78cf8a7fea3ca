import { PAGE_KEYS, type QueryExpiredInput, type QueryExpiredOutput } from '../statemachine/contract.ts';
import { queryExpired } from './lib/expired-query.ts';
import { keysThatFit, toChunks } from './lib/page.ts';
import { lambdaRuntime, type Runtime } from './lib/runtime.ts';

/**
 * Reads one page of keys that are expired in a (window, shard), bounded so that it fits into a state's payload, and
 * cuts it into chunks that one DynamoDB batch takes.
 *
 * @throws DynamoDbBusyError
 */
export async function readExpiredPage(
  { target, dryRun, startKey }: QueryExpiredInput,
  { settings, documents }: Runtime,
): Promise<QueryExpiredOutput> {
  const page = await queryExpired(documents, settings, target, startKey, PAGE_KEYS);
  const count = keysThatFit(page.keys);
  const more = page.more || count < page.keys.length;
  return {
    found: count,
    chunks: dryRun ? [] : toChunks(page.keys.slice(0, count)),
    startKey: (more && page.positions[count - 1]) || null,
  };
}

const runtime = lambdaRuntime({ maxAttempts: 3 });

export const handler = (event: QueryExpiredInput): Promise<QueryExpiredOutput> =>
  readExpiredPage(event, runtime());
