/**
 * Puts archived items back into their table, each with a new expiry; an item that is there stays as it is. Copy this file, correct MODEL:
 *     aws s3 cp --recursive s3://BUCKET/SessionData/day=2026-11-22/ archived/
 *     node restore.ts SessionData 7 archived      # they expire in 7 days
 */
import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import * as DynamoDB from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { type ExpiryModel, expiryAttributes, expiryModel } from 'precise-ttl';

const MODEL = expiryModel({ partitionKey: 'UserName', sortKey: 'SessionId', ttlAttribute: 'ExpirationTime' });
type Image = Record<string, DynamoDB.AttributeValue>;

/** Reads JSON of an archive, where bytes are base64. */
function parsed(text: string): { key: Image; oldImage: Image; oldImageGzip?: string; deletedAt: string } {
  const bytes = (each: unknown) => (typeof each === 'string' ? Buffer.from(each, 'base64') : each);
  return JSON.parse(text, (name, value) =>
    name === 'BS' && Array.isArray(value) ? value.map(bytes) : name === 'B' ? bytes(value) : value,
  );
}

/** Reads a line of an archive, whose image is compressed if it is large. */
function lineOf(text: string): { key: Image; item: Image; deletedAt: string } {
  const { key, oldImage: item, oldImageGzip, deletedAt } = parsed(text);
  if (oldImageGzip === undefined) return { key, item, deletedAt };
  const image = gunzipSync(Buffer.from(oldImageGzip, 'base64')).toString();
  return { key, item: parsed(image) as unknown as Image, deletedAt };
}

/**
 * Restores the items of archived objects (gzip): of each key the latest image, if the table has no item with that key.
 * @param expiresAt epoch seconds
 * @throws an error of DynamoDB
 */
export async function restore(
  client: DynamoDB.DynamoDBClient,
  { tableName, model, expiresAt }: { tableName: string; model: ExpiryModel; expiresAt: number },
  bodies: readonly Uint8Array[],
): Promise<{ restored: number; passedOver: number }> {
  const lines = bodies.flatMap(body => gunzipSync(body).toString().trimEnd().split('\n').map(lineOf));
  const counts = { restored: 0, passedOver: 0 };
  for (const { key, item } of lines.sort((one, other) => other.deletedAt.localeCompare(one.deletedAt))) {
    const expiry = marshall(expiryAttributes(model, unmarshall(key, { wrapNumbers: true }), { expiresAt }));
    const isAbsent = { ConditionExpression: 'attribute_not_exists(#key)' };
    const names = { ExpressionAttributeNames: { '#key': model.partitionKey } };
    const put = { TableName: tableName, Item: { ...item, ...expiry }, ...isAbsent, ...names };
    try {
      await client.send(new DynamoDB.PutItemCommand(put));
      counts.restored += 1;
    } catch (error) {
      if (!(error instanceof DynamoDB.ConditionalCheckFailedException)) throw error;
      counts.passedOver += 1;
    }
  }
  return counts;
}

if (process.argv[1] === import.meta.filename) {
  const [tableName = '', days = '', folder = ''] = process.argv.slice(2);
  const bodies = readdirSync(folder).map(file => readFileSync(`${folder}/${file}`));
  const expiresAt = Math.floor(Date.now() / 1000) + Number(days) * 86_400;
  restore(new DynamoDB.DynamoDBClient(), { tableName, model: MODEL, expiresAt }, bodies).then(console.log);
}
