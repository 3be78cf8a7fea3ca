import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { isNearlyExpiry } from '../../../expiry/is-expiry.ts';
import { expiryModel } from '../../../expiry/model.ts';
import { archiveExpiries } from '../../../functions/archive-expiries/handler.ts';
import type { DynamoDbStreamRecord } from '../../../functions/stream/event.ts';
import { anyImage } from '../../support/any-image.ts';
import { streamRecord } from '../../support/stream-records.ts';

const NOW = Date.parse('2026-11-20T09:00:31Z') / 1000;
const model = expiryModel({ partitionKey: 'id' });
const settings = {
  tableName: 'SessionData',
  model,
  logKeys: 'none',
  archiveBucket: 'bucket',
  archivePrefix: '',
  archiveFormat: 'dynamodb-json',
  archiveRemovals: 'expiries',
} as const;
const logger = { info: () => undefined, error: () => undefined };

/** An item's time to its expiry at its removal, seconds: of some days back, of this second and the next, of later. */
const untilExpiry = fc.constantFrom(-86_400 * 3, -86_400, -1, 0, 1, 3600);

const stream = fc
  .array(
    fc.record({
      image: anyImage,
      left: untilExpiry,
      eventName: fc.constantFrom('REMOVE', 'REMOVE', 'REMOVE', 'MODIFY'),
    }),
    { minLength: 1, maxLength: 20 },
  )
  .map(changes =>
    changes.map(({ image, left, eventName }, place) => {
      const item = { ...image, id: { S: `item-${place}` }, ttl: { N: String(NOW + left) } };
      return streamRecord({ place, item, at: NOW, eventName });
    }),
  );

/** How a mapping gives out what is next: how many records, which puts of the call fail, and whether its answer is lost. */
const delivery = fc.record({
  size: fc.integer({ min: 1, max: 8 }),
  failing: fc.subarray([0, 1, 2, 3]),
  crashes: fc.boolean(),
});

/** Gives out a stream as Lambda does: from the first record on that is not done with, until all are. */
async function deliver(
  records: readonly DynamoDbStreamRecord[],
  deliveries: readonly { size: number; failing: readonly number[]; crashes: boolean }[],
): Promise<Map<string, Uint8Array>> {
  const bucket = new Map<string, Uint8Array>();
  const faultless = { size: 5, failing: [], crashes: false };
  let position = 0;
  for (let call = 0; position < records.length; call += 1) {
    const { size, failing, crashes } = deliveries[call] ?? faultless;
    const batch = records.slice(position, position + size);
    let puts = 0;
    const put = async ({ key, body }: { key: string; body: Uint8Array }) => {
      if ((failing as number[]).includes(puts++)) throw new Error('S3 is busy');
      // What stands there is never replaced by something else.
      expect(bucket.get(key) ?? body).toEqual(body);
      bucket.set(key, body);
    };
    const { batchItemFailures } = await archiveExpiries(
      { Records: batch },
      { settings, put, logger, clock: () => 0 },
    );
    if (crashes) continue;
    const failed = batchItemFailures[0]?.itemIdentifier;
    const done =
      failed === undefined
        ? batch.length
        : batch.findIndex(({ dynamodb }) => dynamodb.SequenceNumber === failed);
    expect(done).not.toBe(-1);
    position += done;
  }
  return bucket;
}

test('whatever the batches, failing puts and crashes: every expiry is archived, and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(stream, fc.array(delivery, { maxLength: 12 }), async (records, deliveries) => {
      const bucket = await deliver(records, deliveries);
      const archived = new Map<string, unknown>();
      for (const body of bucket.values()) {
        for (const text of gunzipSync(body).toString().trim().split('\n')) {
          const { key, expiredAt, item } = JSON.parse(text);
          const identity = JSON.stringify([key, expiredAt]);
          // Copies of one expiry, which a view of Athena takes one of, are the same.
          expect(archived.get(identity) ?? item).toEqual(item);
          archived.set(identity, item);
        }
      }
      const expired = records.filter(record => isNearlyExpiry(model, record, 2));
      expect(archived.size).toBe(expired.length);
      expect([...archived.values()]).toEqual(
        expect.arrayContaining(expired.map(({ dynamodb }) => JSON.parse(JSON.stringify(dynamodb.OldImage)))),
      );
    }),
    { numRuns: 60 },
  );
});
