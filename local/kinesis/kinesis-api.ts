import { ApiInput, validationErrors } from '../api-input.ts';
import type { JsonApi } from '../aws-json.ts';
import type { FailEntry } from '../call-fault.ts';
import { streamIn } from '../functions/service-variables.ts';
import { ApiRequestError } from '../http-server.ts';

/** A record that came to a stream. */
export interface LocalRecord {
  /** The name of its stream. */
  readonly stream: string;
  readonly partitionKey: string;
  readonly data: Buffer;
  readonly sequenceNumber: string;
}

export interface KinesisApiOptions {
  /** By their names; each has one shard. */
  readonly streams: readonly string[];
  /** @default no faults */
  readonly failEntry?: FailEntry | undefined;
  readonly onRecord?: ((record: LocalRecord) => void) | undefined;
}

/** Source: API reference, PutRecords. */
const MOST_RECORDS = 500;
const MOST_BYTES = 5_242_880;
const MOST_RECORD_BYTES = 1_048_576;
const MOST_KEY_CHARACTERS = 256;

const SHARD = 'shardId-000000000000';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const ERRORS = validationErrors('Kinesis');

/** The API of Kinesis Data Streams: PutRecords. Nothing is kept; who wants the records gets them all. */
export function kinesisApi({ streams, failEntry, onRecord }: KinesisApiOptions): JsonApi {
  let count = 0n;
  return {
    target: 'Kinesis_20131202',
    operations: {
      PutRecords(fields) {
        const input = new ApiInput(fields, ERRORS, ['StreamARN', 'StreamName', 'Records']);
        const stream = streamOf(input, streams);
        const given = input.objects('Records');
        if (given.length === 0 || given.length > MOST_RECORDS) {
          throw ERRORS.invalid('Records', `1 to ${MOST_RECORDS} records`, given.length);
        }
        const records = given.map((record, index) => readRecord(record, index));
        const bytes = records.reduce((sum, record) => sum + bytesOf(record), 0);
        if (bytes > MOST_BYTES) {
          throw new ApiRequestError(
            'InvalidArgumentException',
            `Records: expected at most ${MOST_BYTES} bytes together, got ${bytes}`,
          );
        }
        const answers = records.map(record => {
          const injected = failEntry?.();
          if (injected !== undefined) return { ErrorCode: injected, ErrorMessage: 'injected' };
          count += 1n;
          const sequenceNumber = `${count}`.padStart(56, '0');
          onRecord?.({ stream, ...record, sequenceNumber });
          return { SequenceNumber: sequenceNumber, ShardId: SHARD };
        });
        return {
          FailedRecordCount: answers.filter(answer => 'ErrorCode' in answer).length,
          Records: answers,
        };
      },
    },
  };
}

/** By its name or its ARN, of whatever account and region. @throws {ApiRequestError} for a stream that is not there */
function streamOf(input: ApiInput, streams: readonly string[]): string {
  const arn = input.text('StreamARN');
  const name = arn === undefined ? input.text('StreamName') : streamIn(arn);
  if (name !== undefined && streams.includes(name)) return name;
  throw new ApiRequestError(
    'ResourceNotFoundException',
    `expected a stream of ${streams.join(', ')}, got ${arn ?? name ?? 'none'}`,
  );
}

type GivenRecord = Pick<LocalRecord, 'partitionKey' | 'data'>;

function readRecord(fields: Readonly<Record<string, unknown>>, index: number): GivenRecord {
  const path = `Records[${index}].`;
  const input = new ApiInput(fields, ERRORS, ['Data', 'PartitionKey'], path);
  const base64 = input.text('Data');
  const partitionKey = input.text('PartitionKey');
  if (base64 === undefined) throw ERRORS.missing(`${path}Data`);
  if (!BASE64.test(base64)) throw ERRORS.invalid(`${path}Data`, 'base64', base64.slice(0, 100));
  if (!partitionKey || partitionKey.length > MOST_KEY_CHARACTERS) {
    throw ERRORS.invalid(`${path}PartitionKey`, `1 to ${MOST_KEY_CHARACTERS} characters`, partitionKey);
  }
  const record = { partitionKey, data: Buffer.from(base64, 'base64') };
  if (bytesOf(record) > MOST_RECORD_BYTES) {
    throw ERRORS.invalid(`${path}Data`, `at most ${MOST_RECORD_BYTES} bytes with its key`, bytesOf(record));
  }
  return record;
}

function bytesOf({ partitionKey, data }: GivenRecord): number {
  return Buffer.byteLength(partitionKey) + data.length;
}
