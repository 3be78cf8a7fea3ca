import { BatchWriteItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { functionSettings, type PreciseTtlProps, resolveProps } from '../../config/props.ts';
import { expiryAttributes } from '../../expiry/index.ts';
import { carriedSettings, readSettings, type SweepSettings } from '../../functions/runtime/environment.ts';
import { ensureTable } from '../../local/dynamodb/tables.ts';
import type { TableResource } from '../../local/stack/synthesized.ts';
import { type CarriedSettings, CHUNK_KEYS } from '../../statemachine/contract.ts';

/** Puts under way at once. */
const WRITERS = 8;

/** How long before it is written an item has expired, seconds. */
const EXPIRED_AGO = 60;

// Items of about 250 bytes.
const PAYLOAD = 'x'.repeat(150);

/** A table of items that have expired, which no schedule sweeps. */
export interface ExpiredTable {
  readonly settings: SweepSettings;
  /** The settings as an execution carries them. */
  readonly carried: CarriedSettings;
  /**
   * Writes items that expired a minute ago.
   * @returns their TTL, epoch seconds
   */
  fill(items: number): Promise<number>;
}

/**
 * @param props what the table has of a deployed one; it needs a sort key
 * @param like the table as it was synthesized, under whatever name
 */
export async function makeExpiredTable(
  client: DynamoDBClient,
  props: PreciseTtlProps,
  like: TableResource,
): Promise<ExpiredTable> {
  const { tableName } = props;
  await ensureTable(client, { ...like, name: tableName, address: tableName });
  const carried = { ...carriedSettings(functionSettings(resolveProps(props))) };
  const settings = readSettings(carried);
  const { model } = settings;
  const fill = async (items: number): Promise<number> => {
    const expiresAt = Math.floor(Date.now() / 1000) - EXPIRED_AGO;
    let written = 0;
    const writer = async (): Promise<void> => {
      while (written < items) {
        const from = written;
        written = Math.min(items, from + CHUNK_KEYS);
        const requests = Array.from({ length: written - from }, (_unused, index) => {
          const key = {
            [model.partitionKey]: `user-${(from + index) % 97}`,
            [model.sortKey ?? '']: `${from + index}`,
          };
          const item = { ...key, payload: PAYLOAD, ...expiryAttributes(model, key, { expiresAt }) };
          return { PutRequest: { Item: marshall(item) } };
        });
        await client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: requests } }));
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, writer));
    return expiresAt;
  };
  return { settings, carried, fill };
}
