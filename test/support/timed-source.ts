import type { StreamedRecord, StreamSource } from 'aws-on-loopback/streams/stream-source';
import type { ItemKey } from '../../statemachine/contract/keys.ts';

/**
 * DynamoDB Local gives records the time of this machine; a reader that catches up has to see when the play deleted.
 * @param deletedAt epoch milliseconds; undefined for what the play has not deleted
 */
export function timedSource(
  source: StreamSource,
  deletedAt: (key: ItemKey) => number | undefined,
): StreamSource {
  const timeOf = ({ record, ...streamed }: StreamedRecord): StreamedRecord => {
    const { dynamodb } = record;
    const at = dynamodb?.Keys && deletedAt(dynamodb.Keys as ItemKey);
    if (at === undefined) return { ...streamed, record };
    // Of a whole minute it would be taken for one that DynamoDB Local has rounded.
    const ApproximateCreationDateTime = new Date(at + 1);
    return { ...streamed, record: { ...record, dynamodb: { ...dynamodb, ApproximateCreationDateTime } } };
  };
  return {
    shards: () => source.shards(),
    async read(...args) {
      const { records, isEnd } = await source.read(...args);
      return { records: records.map(timeOf), isEnd };
    },
  };
}
