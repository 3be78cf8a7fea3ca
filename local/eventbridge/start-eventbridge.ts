import { type Clock, realClock } from 'stepfunctions-emulator';
import { LocalApiServer } from '../api-server.ts';
import { awsJson } from '../aws-json.ts';
import type { FailEntry } from '../call-fault.ts';
import { LocalCloudError } from '../errors.ts';
import type { HttpServerOptions } from '../http-server.ts';
import { eventsApi, type LocalEvent } from './events-api.ts';

export interface EventBridgeOptions extends HttpServerOptions {
  /** The names of the buses that there are besides `default`: a deployment makes them. @default none */
  readonly buses?: readonly string[];
  /** @default the wall clock */
  readonly clock?: Pick<Clock, 'now'>;
  /** For tests and the lab. @default no faults */
  readonly failEntry?: FailEntry | undefined;
  /** Gets every event that was taken. */
  readonly onEvent?: ((event: LocalEvent) => void) | undefined;
}

/** Source: API reference, CreateEventBus. */
const NAME = /^[A-Za-z0-9/._-]{1,256}$/;

/** The entries have a mebibyte, which JSON can write with six bytes for one. */
const MOST_REQUEST_BYTES = 8_388_608;

/**
 * Starts an EventBridge for this machine.
 *
 * @throws {LocalCloudError} for a bus with a name that EventBridge refuses; rejects with the system's error when the port
 *   is taken
 */
export async function startEventBridge(options: EventBridgeOptions = {}): Promise<LocalEventBridge> {
  const { buses = [], clock = realClock, failEntry, onEvent, ...server } = options;
  const wrong = buses.find(bus => !NAME.test(bus));
  if (wrong !== undefined) {
    throw new LocalCloudError(
      `buses: expected names of 1 to 256 letters, digits and / . _ -, got ${JSON.stringify(wrong)}`,
    );
  }
  const protocol = awsJson(eventsApi({ buses: ['default', ...buses], clock, failEntry, onEvent }));
  return LocalApiServer.start(protocol, { ...server, maxBytes: MOST_REQUEST_BYTES });
}

/** An EventBridge on this machine. */
export type LocalEventBridge = Pick<LocalApiServer, 'endpoint' | 'stop'>;
