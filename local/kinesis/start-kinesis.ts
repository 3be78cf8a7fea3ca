import { LocalApiServer } from '../api-server.ts';
import { awsJson } from '../aws-json.ts';
import type { FailEntry } from '../call-fault.ts';
import { LocalCloudError } from '../errors.ts';
import type { HttpServerOptions } from '../http-server.ts';
import { kinesisApi, type LocalRecord } from './kinesis-api.ts';

export interface KinesisOptions extends HttpServerOptions {
  /** The names of the streams that there are: a deployment makes them. */
  readonly streams: readonly string[];
  /** For tests and the lab. @default no faults */
  readonly failEntry?: FailEntry | undefined;
  /** Gets every record that was taken. */
  readonly onRecord?: ((record: LocalRecord) => void) | undefined;
}

/** Source: API reference, CreateStream. */
const NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** The records have five mebibytes, and base64 takes a third more. */
const MOST_REQUEST_BYTES = 8_388_608;

/**
 * Starts a Kinesis Data Streams for this machine.
 *
 * @throws {LocalCloudError} for a stream with a name that Kinesis refuses; rejects with the system's error when the port is taken
 */
export async function startKinesis(options: KinesisOptions): Promise<LocalKinesis> {
  const { streams, failEntry, onRecord, ...server } = options;
  const wrong = streams.find(stream => !NAME.test(stream));
  if (wrong !== undefined) {
    throw new LocalCloudError(
      `streams: expected names of 1 to 128 letters, digits and _ . -, got ${JSON.stringify(wrong)}`,
    );
  }
  const protocol = awsJson(kinesisApi({ streams, failEntry, onRecord }));
  return LocalApiServer.start(protocol, { ...server, maxBytes: MOST_REQUEST_BYTES });
}

/** A Kinesis Data Streams on this machine. */
export type LocalKinesis = Pick<LocalApiServer, 'endpoint' | 'stop'>;
