import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type Clock, realClock } from 'stepfunctions-emulator';
import { localDynamoDbStreams } from '../../local/dynamodb/clients.ts';
import { LocalCloudError } from '../../local/errors.ts';
import { StreamPoller } from '../../local/pipes/stream-poller.ts';
import { DynamoDbTableStream, MAX_RECORDS } from '../../local/pipes/table-stream.ts';
import type { RemovalRecord } from '../ledger/item.ts';

export interface ObserverOptions {
  readonly client: DynamoDBClient;
  readonly endpoint: string;
  readonly region: string;
  readonly tableName: string;
  /** Called for every deletion. @param seenAt time at which the record was read, epoch milliseconds */
  readonly onRemoval: (record: RemovalRecord, seenAt: number) => void;
  readonly onError: (error: unknown) => void;
  /** Pause between two reads, milliseconds: the longest delay of a seen deletion. @default 100 */
  readonly intervalMs?: number | undefined;
  /** @default the wall clock */
  readonly clock?: Clock;
}

/**
 * Observes deletions in the table's stream, independently of the sweep's reports. The records' times are not used, because DynamoDB Local
 * rounds these times to the minute.
 * @returns a function that waits for earlier deletions and stops the observation; safe to call more than once
 * @throws {LocalCloudError} when the table has no stream with old images
 */
export async function observeDeletions(options: ObserverOptions): Promise<() => Promise<void>> {
  const { tableName, client, endpoint, region, clock = realClock, intervalMs = 100 } = options;
  const { Table } = await clock.busy(() => client.send(new DescribeTableCommand({ TableName: tableName })));
  const view = Table?.StreamSpecification?.StreamViewType;
  if (!Table?.LatestStreamArn || (view !== 'OLD_IMAGE' && view !== 'NEW_AND_OLD_IMAGES')) {
    throw new LocalCloudError(
      `table "${tableName}": expected a stream with old images to see deletions by, got ${view ?? 'none'}; ` +
        "start the local cloud with observe: true, or change the view type of the table's own stream",
    );
  }
  const streams = localDynamoDbStreams(endpoint, region);
  const poller = await StreamPoller.open({
    stream: new DynamoDbTableStream(streams, Table.LatestStreamArn),
    ...{ clock, batchSize: MAX_RECORDS, fromLatest: false, pollMs: intervalMs },
    timeOf: approximateMs => approximateMs,
    onError: options.onError,
    async take(removals) {
      const seenAt = clock.now();
      for (const { eventID: id, dynamodb } of removals)
        if (dynamodb.OldImage !== undefined)
          options.onRemoval({ id, key: dynamodb.Keys, image: dynamodb.OldImage }, seenAt);
    },
  });
  poller.start();
  return async () => {
    await clock.busy(() => poller.drain()).catch(() => {});
    await poller.stop();
    streams.destroy();
  };
}
