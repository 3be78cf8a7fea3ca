import { ApiError } from 'stepfunctions-emulator/loopback';
import { type ApiInput, VALIDATION_ERRORS } from '../api-input.ts';
import { answerEach, batchAnswer, type FailEntry } from '../call-fault.ts';
import { requireNames } from '../errors.ts';
import {
  type JsonService,
  jsonProtocol,
  type LocalService,
  type ServiceOptions,
  startServer,
} from '../service.ts';
import { streamIn } from '../service-variables.ts';

/** A record that was sent to a stream. */
export interface LocalRecord {
  /** The name of its stream. */
  readonly stream: string;
  readonly partitionKey: string;
  readonly data: Buffer;
  readonly sequenceNumber: string;
}

/** The data that the operations work on. */
interface KinesisContext {
  /** Names of the existing streams, each with one shard: a deployment creates them. */
  readonly streams: readonly string[];
  /** Injects faults, for tests and the lab. @default no faults */
  readonly failEntry?: FailEntry | undefined;
  /** Called for every accepted record. */
  readonly onRecord?: ((record: LocalRecord) => void) | undefined;
}

export type KinesisOptions = KinesisContext & ServiceOptions;

/** Source: API reference, CreateStream. */
const NAMES = { pattern: /^[A-Za-z0-9_.-]{1,128}$/, expected: '1 to 128 letters, digits and _ . -' };

/** Source: API reference, PutRecords. */
const MAX_RECORDS = 500;
const MAX_BYTES = 5_242_880;
const MAX_RECORD_BYTES = 1_048_576;
const MAX_KEY_CHARACTERS = 256;

const SHARD = 'shardId-000000000000';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The API of Kinesis Data Streams: PutRecords. It stores nothing; the subscriber gets all records. */
export const KINESIS = {
  target: 'Kinesis_20131202',
  errors: VALIDATION_ERRORS,
  // The records can have five mebibytes, and base64 adds a third.
  maxBytes: 8_388_608,
  operations: {
    PutRecords: {
      fields: ['StreamARN', 'StreamName', 'Records'],
      answer({ streams, failEntry, onRecord, nextNumber }, input) {
        const stream = streamOf(input, streams);
        const records = input.objects('Records', ['Data', 'PartitionKey']).map(readRecord);
        if (records.length === 0 || records.length > MAX_RECORDS) {
          throw input.invalid('Records', `1 to ${MAX_RECORDS} records`, records.length);
        }
        const bytes = records.reduce((sum, record) => sum + bytesOf(record), 0);
        if (bytes > MAX_BYTES) {
          throw new ApiError(
            'InvalidArgumentException',
            `Records: expected at most ${MAX_BYTES} bytes together, got ${bytes}`,
          );
        }
        const outcomes = answerEach(records, failEntry, record => {
          const sequenceNumber = `${nextNumber()}`.padStart(56, '0');
          onRecord?.({ stream, ...record, sequenceNumber });
          return { SequenceNumber: sequenceNumber, ShardId: SHARD };
        });
        return batchAnswer('Records', 'FailedRecordCount', outcomes);
      },
    },
  },
} satisfies JsonService<KinesisContext & { readonly nextNumber: () => number }>;

/**
 * Starts a Kinesis Data Streams for this machine.
 *
 * @throws {LoopbackError} for a stream with a name that Kinesis refuses; rejects with the system's error when the port is taken
 */
export async function startKinesis(options: KinesisOptions): Promise<LocalService> {
  requireNames('streams', options.streams, NAMES);
  let count = 0;
  const nextNumber = () => {
    count += 1;
    return count;
  };
  return startServer(jsonProtocol(KINESIS, { ...options, nextNumber }), options);
}

/** Finds a stream by its name or its ARN, of any account and region. @throws {ApiError} for a stream that does not exist */
function streamOf(input: ApiInput, streams: readonly string[]): string {
  const arn = input.text('StreamARN');
  const name = arn === undefined ? input.text('StreamName') : streamIn(arn);
  if (name !== undefined && streams.includes(name)) return name;
  throw new ApiError(
    'ResourceNotFoundException',
    `expected a stream of ${streams.join(', ')}, got ${arn ?? name ?? 'none'}`,
  );
}

type GivenRecord = Pick<LocalRecord, 'partitionKey' | 'data'>;

function readRecord(input: ApiInput): GivenRecord {
  const base64 = input.required('Data', input.text('Data'));
  const partitionKey = input.text('PartitionKey');
  if (!BASE64.test(base64)) throw input.invalid('Data', 'base64', base64.slice(0, 100));
  if (!partitionKey || partitionKey.length > MAX_KEY_CHARACTERS) {
    throw input.invalid('PartitionKey', `1 to ${MAX_KEY_CHARACTERS} characters`, partitionKey);
  }
  const record = { partitionKey, data: Buffer.from(base64, 'base64') };
  if (bytesOf(record) > MAX_RECORD_BYTES) {
    throw input.invalid('Data', `at most ${MAX_RECORD_BYTES} bytes with its key`, bytesOf(record));
  }
  return record;
}

function bytesOf({ partitionKey, data }: GivenRecord): number {
  return Buffer.byteLength(partitionKey) + data.length;
}
