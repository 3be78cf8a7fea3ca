import { LISTED_KEYS, type QueryExpiredInput, type QueryExpiredOutput } from '../statemachine/contract.ts';
import { look } from './lib/look.ts';
import { toChunks } from './lib/page.ts';
import { lambdaRuntime, type Runtime } from './lib/runtime.ts';
import { windowReader } from './lib/window-query.ts';

/**
 * Reads one page of what is expired in a target, bounded so that it fits into a state's payload, and cuts it into
 * chunks that one DynamoDB batch takes. Says when to look again when the target is a span ahead.
 *
 * @throws DynamoDbBusyError
 */
export async function readExpiredPage(
  { dryRun, ...input }: QueryExpiredInput,
  { settings, documents }: Runtime,
): Promise<QueryExpiredOutput> {
  const { due, cutoff, position, lookAt } = await look(input, settings, windowReader(documents, settings));
  return {
    found: due.length,
    chunks: dryRun ? [] : toChunks(due),
    sampleKeys: dryRun ? due.slice(0, LISTED_KEYS).map(({ key }) => key) : [],
    cutoff,
    position,
    lookAt,
  };
}

const runtime = lambdaRuntime({ maxAttempts: 2 });

export const handler = (event: QueryExpiredInput): Promise<QueryExpiredOutput> =>
  readExpiredPage(event, runtime());
