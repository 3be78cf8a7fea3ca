import { BatchWriteCommand, type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import type { PreciseTtlProps } from '../../config/props.ts';
import { expiryAttributes } from '../../expiry/attributes.ts';
import type { ExpiryModel } from '../../expiry/model.ts';

export const TABLE = {
  tableName: 'Backfill',
  partitionKey: 'id',
  shards: 4,
  backfill: true,
} as const satisfies PreciseTtlProps;

/** A batch has 25 items; so many are on their way at once. */
const WRITERS = 8;
const DAY = 86_400;
/** Items are about 250 bytes. */
const PAYLOAD = 'x'.repeat(180);

/** Of a hundred items, those that are no plain ones. */
const KINDS: Readonly<Record<number, 'without' | 'milliseconds' | 'negative' | 'right'>> = {
  0: 'without',
  1: 'milliseconds',
  2: 'negative',
  3: 'right',
};

/** A table with items of every kind, and what must be in it at the end. */
export class Filled {
  readonly model: ExpiryModel;
  readonly count: number;
  /** The last TTL of each item that has a good one; those that were deleted are not in it. */
  readonly ttls = new Map<string, number>();
  readonly #documents: DynamoDBDocumentClient;

  constructor(documents: DynamoDBDocumentClient, model: ExpiryModel, count: number) {
    this.#documents = documents;
    this.model = model;
    this.count = count;
  }

  async fill(): Promise<void> {
    const now = Math.floor(Date.now() / 1000);
    let next = 0;
    const writer = async () => {
      for (let from = next; from < this.count; from = next) {
        next = from + 25;
        const requests = Array.from({ length: Math.min(25, this.count - from) }, (_unused, index) => ({
          PutRequest: { Item: this.#item(from + index, now) },
        }));
        await this.#documents.send(new BatchWriteCommand({ RequestItems: { [TABLE.tableName]: requests } }));
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, writer));
  }

  #item(index: number, now: number) {
    const id = `item-${index}`;
    const ttl = now + DAY + (index % DAY);
    const kind = KINDS[index % 100];
    if (kind === 'without') return { id, payload: PAYLOAD };
    if (kind === 'milliseconds') return { id, payload: PAYLOAD, ttl: ttl * 1000 };
    if (kind === 'negative') return { id, payload: PAYLOAD, ttl: -ttl };
    this.ttls.set(id, ttl);
    return kind === 'right'
      ? { id, payload: PAYLOAD, ...expiryAttributes(this.model, { id }, { expiresAt: ttl }) }
      : { id, payload: PAYLOAD, ttl };
  }

  async stamped(): Promise<number> {
    let stamped = 0;
    for await (const item of this.#items()) if ('expirationWindow' in item) stamped += 1;
    return stamped;
  }

  /** What is not as it must be. */
  async problems(): Promise<string[]> {
    const left = new Map(this.ttls);
    const wrong = { ttl: 0, window: 0, back: 0 };
    for await (const item of this.#items()) {
      const id = String(item['id']);
      const expected = this.ttls.get(id);
      left.delete(id);
      const isPlain =
        KINDS[Number(id.slice(5)) % 100] === undefined || KINDS[Number(id.slice(5)) % 100] === 'right';
      if (expected === undefined) {
        if (isPlain) wrong.back += 1;
        else if ('expirationWindow' in item) wrong.window += 1;
        continue;
      }
      const { expirationWindow } = expiryAttributes(this.model, { id }, { expiresAt: expected });
      if (item['ttl'] !== expected) wrong.ttl += 1;
      if (item['expirationWindow'] !== expirationWindow) wrong.window += 1;
    }
    return [
      ...(left.size > 0 ? [`${left.size} items are missing`] : []),
      ...(wrong.ttl > 0 ? [`${wrong.ttl} items have another TTL than was written last`] : []),
      ...(wrong.window > 0 ? [`${wrong.window} items have not the window of their TTL`] : []),
      ...(wrong.back > 0 ? [`${wrong.back} items that were deleted are there`] : []),
    ];
  }

  async *#items(): AsyncGenerator<Record<string, unknown>> {
    const pages = paginateScan(
      { client: this.#documents },
      {
        TableName: TABLE.tableName,
        ConsistentRead: true,
        ProjectionExpression: 'id, #ttl, expirationWindow',
        ExpressionAttributeNames: { '#ttl': 'ttl' },
      },
    );
    for await (const { Items = [] } of pages) yield* Items;
  }
}
