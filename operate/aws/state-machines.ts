import { paginateListStateMachines, type SFNClient } from '@aws-sdk/client-sfn';
import { StateMachineNotFoundError } from './errors.ts';

/**
 * Finds the ARNs of state machines by name; they contain the account, which the configuration does not know.
 *
 * @throws {StateMachineNotFoundError} when one does not exist
 */
export async function findStateMachines(
  client: SFNClient,
  names: readonly string[],
  where: () => string,
): Promise<ReadonlyMap<string, string>> {
  const found = await listStateMachines(client, names);
  const missing = names.filter(name => !found.has(name));
  if (missing.length > 0) {
    throw new StateMachineNotFoundError(
      `state machine: expected ${missing.join(', ')} at ${where()}, got none of that name; deploy first, or look ` +
        'whether account, region and AWS_ENDPOINT_URL_SFN are the right ones',
    );
  }
  return new Map([...found].map(([name, { arn }]) => [name, arn]));
}

export interface ListedStateMachine {
  readonly arn: string;
  readonly createdAt: Date | undefined;
}

/** The state machines with these names that exist. */
export async function listStateMachines(
  client: SFNClient,
  names: readonly string[],
): Promise<ReadonlyMap<string, ListedStateMachine>> {
  const found = new Map<string, ListedStateMachine>();
  for await (const { stateMachines = [] } of paginateListStateMachines({ client }, { maxResults: 1000 })) {
    for (const { name, stateMachineArn: arn, creationDate: createdAt } of stateMachines) {
      if (name !== undefined && arn !== undefined && names.includes(name))
        found.set(name, { arn, createdAt });
    }
    if (found.size === names.length) break;
  }
  return found;
}
