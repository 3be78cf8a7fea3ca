import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { windowKey, windowStart } from '../../expiry/window.ts';
import { localDynamoDb } from '../../local/dynamodb/clients.ts';
import { modelOf } from '../../stacks/config/deployments.ts';
import type { PreciseTtlProps } from '../../stacks/config/props.ts';

/** Puts an item for each TTL, with a window where the index wants one. @param ttls epoch seconds */
export async function putSessions(
  { endpoint, region }: Readonly<Record<'endpoint' | 'region', string>>,
  props: PreciseTtlProps,
  ttls: readonly number[],
): Promise<void> {
  const client = localDynamoDb(endpoint, region);
  const { ttlAttribute, windowAttribute, granularitySeconds } = modelOf(props);
  const keys = [props.partitionKey, props.sortKey].filter(name => name !== undefined);
  for (const [at, ttl] of ttls.entries()) {
    const window = windowKey(windowStart(ttl, granularitySeconds), granularitySeconds, 0);
    const Item = {
      ...Object.fromEntries(keys.map(name => [name, { S: `session-${at}` }])),
      [ttlAttribute]: { N: `${ttl}` },
      ...(windowAttribute && { [windowAttribute]: { S: window } }),
    };
    await client.send(new PutItemCommand({ TableName: props.tableName, Item }));
  }
  client.destroy();
}
