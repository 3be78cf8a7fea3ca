import type { FunctionResult } from 'stepfunctions-emulator';
import type { Clock } from '../../../stepfunctions-emulator/src/index.ts';
import type { Discarded } from '../../src/streams/batch.ts';
import type { Checkpoints } from '../../src/streams/checkpoints.ts';
import { checkpointsInMemory } from '../../src/streams/checkpoints.ts';
import type { MappingSettings } from '../../src/streams/mapping-settings.ts';
import type { StreamEvent } from '../../src/streams/shard-reader.ts';
import { StreamPoller, type StreamPollerOptions } from '../../src/streams/stream-poller.ts';
import {
  type StreamedRecord,
  type StreamSource,
  virtualRecordTime,
} from '../../src/streams/stream-source.ts';

/** A shard of a made-up stream. */
export interface FakeShard {
  readonly id: string;
  readonly parentId?: string;
  /** Sequence numbers; may grow while the shard is open. */
  readonly records: string[];
  isOpen: boolean;
  /** Of its records, by their sequence numbers. @default `REMOVE` */
  readonly eventNames?: Readonly<Record<string, 'INSERT' | 'MODIFY' | 'REMOVE'>>;
  /** Bytes of each item. */
  readonly itemBytes?: number;
}

export const STREAM_ARN = 'arn:aws:dynamodb:us-east-1:123456789012:table/T/stream/2026-11-20T09:00:00.000';

/** A stream in memory. */
export function fakeStream(shards: readonly FakeShard[]): StreamSource {
  return {
    shards: async () => shards.map(({ id, parentId, isOpen }) => ({ id, parentId, isOpen })),
    async read(shardId, after, limit) {
      const shard = shards.find(({ id }) => id === shardId);
      if (shard === undefined) throw new Error(`no shard ${shardId}`);
      const left = shard.records.filter(number => after === undefined || BigInt(number) > BigInt(after));
      const records = left.slice(0, limit).map(number => toRecord(shard, number));
      return { records, isEnd: !shard.isOpen && left.length <= limit };
    },
  };
}

function toRecord({ eventNames, itemBytes }: FakeShard, sequenceNumber: string): StreamedRecord {
  const item = {
    id: { S: `item-${sequenceNumber}` },
    ...(itemBytes && { blob: { S: 'x'.repeat(itemBytes) } }),
  };
  return {
    sequenceNumber,
    record: {
      eventID: `event-${sequenceNumber}`,
      eventName: eventNames?.[sequenceNumber] ?? 'REMOVE',
      eventVersion: '1.1',
      dynamodb: {
        Keys: { id: item.id },
        OldImage: item,
        SequenceNumber: sequenceNumber,
        SizeBytes: 10,
        StreamViewType: 'NEW_AND_OLD_IMAGES',
      },
    },
  };
}

export const SETTINGS: MappingSettings = {
  batchSize: 10,
  batchingWindowSeconds: 0,
  filters: [],
  reportsItemFailures: true,
  bisects: true,
};

export const DONE: FunctionResult = { ok: true, payload: { batchItemFailures: [] } };
const failed = (errorType: string): FunctionResult => ({
  ok: false,
  errorType,
  errorMessage: 'x',
  cause: 'x',
});
export const CRASHED = failed('Error');
export const THROTTLED = failed('Lambda.TooManyRequestsException');
export const failedAt = (...numbers: unknown[]): FunctionResult => ({
  ok: true,
  payload: { batchItemFailures: numbers.map(itemIdentifier => ({ itemIdentifier })) },
});

export const numbersIn = ({ Records }: StreamEvent): string[] =>
  Records.map(({ dynamodb }) => dynamodb.SequenceNumber);

/** What was invoked, and what was given up, of a poller over made-up shards. */
export interface Polled {
  readonly poller: StreamPoller;
  readonly events: StreamEvent[];
  readonly batches: string[][];
  readonly discarded: Discarded[];
  readonly errors: unknown[];
  readonly checkpoints: Checkpoints;
}

export function polled(
  shards: readonly FakeShard[],
  clock: Clock,
  {
    answer = () => DONE,
    ...over
  }: Partial<StreamPollerOptions> & {
    readonly answer?: (numbers: string[], call: number) => FunctionResult | Promise<FunctionResult>;
  } = {},
): Polled {
  const events: StreamEvent[] = [];
  const batches: string[][] = [];
  const discarded: Discarded[] = [];
  const errors: unknown[] = [];
  const checkpoints = over.checkpoints ?? checkpointsInMemory();
  const poller = new StreamPoller({
    source: fakeStream(shards),
    origin: { streamArn: STREAM_ARN, region: 'us-east-1' },
    settings: SETTINGS,
    checkpoints,
    clock,
    timeOf: virtualRecordTime,
    startingPosition: 'TRIM_HORIZON',
    invoke: async event => {
      events.push(event);
      const numbers = numbersIn(event);
      batches.push(numbers);
      return answer(numbers, batches.length);
    },
    discard: async each => {
      discarded.push(each);
    },
    onError: error => errors.push(error),
    ...over,
  });
  return { poller, events, batches, discarded, errors, checkpoints };
}

/** `from` to `to`, as sequence numbers. */
export const numbers = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_unused, index) => String(from + index).padStart(21, '0'));
/** One of them. */
export const number = (value: number): string => numbers(value, value)[0] ?? '';
