import { type Clock, realClock } from 'stepfunctions-emulator';
import { LocalApiServer } from '../api-server.ts';
import { awsJson } from '../aws-json.ts';
import type { FailEntry } from '../call-fault.ts';
import { LocalCloudError, NotFoundError } from '../errors.ts';
import type { HttpServerOptions } from '../http-server.ts';
import { LOCAL_ACCOUNT } from '../stack/synthesized.ts';
import { LocalQueue, type Outgoing, type QueuedMessage, type QueueOptions } from './queue.ts';
import { sqsApi } from './sqs-api.ts';

export interface SqsOptions extends HttpServerOptions {
  /** The queues that there are, by name or with what is not as AWS has it by itself: a deployment makes them. */
  readonly queues: readonly (string | QueueOptions)[];
  /** @default the wall clock */
  readonly clock?: Pick<Clock, 'now' | 'sleep'>;
  /** For tests and the lab. @default no faults */
  readonly failEntry?: FailEntry | undefined;
  /** Gets every message that comes into a queue; not one that a FIFO queue knows already. */
  readonly onMessage?: ((queue: string, message: QueuedMessage) => void) | undefined;
}

/** Source: API reference, CreateQueue: 80 characters, those of `.fifo` included. */
const NAME = /^(?=.{1,80}$)[A-Za-z0-9_-]+(\.fifo)?$/;

/** A batch has a mebibyte, which JSON can write with six bytes for one. */
const MOST_REQUEST_BYTES = 8_388_608;

/**
 * Starts an SQS for this machine.
 *
 * @throws {LocalCloudError} for a queue with a name that SQS refuses; rejects with the system's error when the port is taken
 */
export async function startSqs({
  queues,
  clock = realClock,
  failEntry,
  onMessage,
  ...server
}: SqsOptions): Promise<LocalSqs> {
  const byName = new Map<string, LocalQueue>();
  for (const given of queues) {
    const options = typeof given === 'string' ? { name: given } : given;
    if (!NAME.test(options.name) || byName.has(options.name)) {
      throw new LocalCloudError(
        'queues: expected different names of 1 to 80 letters, digits, hyphens and underscores, with .fifo at the end of a FIFO ' +
          `queue's, got ${JSON.stringify(options.name)}`,
      );
    }
    byName.set(options.name, new LocalQueue(options, clock, message => onMessage?.(options.name, message)));
  }
  const stopped = new AbortController();
  let endpoint = '';
  const api = sqsApi({
    queues: byName,
    clock,
    signal: stopped.signal,
    failEntry,
    urlOf: name => `${endpoint}/${LOCAL_ACCOUNT}/${name}`,
  });
  const listening = await LocalApiServer.start(awsJson(api), { ...server, maxBytes: MOST_REQUEST_BYTES });
  endpoint = listening.endpoint;
  return new LocalSqs(listening, byName, stopped);
}

/** An SQS on this machine. */
export class LocalSqs {
  readonly endpoint: string;
  readonly #server: LocalApiServer;
  readonly #queues: ReadonlyMap<string, LocalQueue>;
  readonly #stopped: AbortController;

  constructor(server: LocalApiServer, queues: ReadonlyMap<string, LocalQueue>, stopped: AbortController) {
    this.endpoint = server.endpoint;
    this.#server = server;
    this.#queues = queues;
    this.#stopped = stopped;
  }

  /** The messages of a queue that nobody has deleted, in the order in which they were sent. @throws {NotFoundError} */
  messages(queue: string): readonly QueuedMessage[] {
    return this.#find(queue).messages;
  }

  /** How many messages of a queue could be received now; undefined when there is no such queue. */
  visibleMessages(queue: string): number | undefined {
    return this.#queues.get(queue)?.counts().visible;
  }

  /**
   * Sends a message as a service of AWS does, such as Lambda to a failure destination; no client, no fault.
   *
   * @throws {NotFoundError}
   * @throws {ApiRequestError} for a message that SQS refuses
   */
  send(queue: string, message: Outgoing): QueuedMessage {
    return this.#find(queue).send(message);
  }

  /** What clients call a queue by. @throws {NotFoundError} */
  queueUrl(queue: string): string {
    return `${this.endpoint}/${LOCAL_ACCOUNT}/${this.#find(queue).options.name}`;
  }

  /** Safe to call more than once. */
  async stop(): Promise<void> {
    const stopped = this.#server.stop();
    this.#stopped.abort();
    await stopped;
  }

  #find(name: string): LocalQueue {
    const queue = this.#queues.get(name);
    if (queue !== undefined) return queue;
    throw new NotFoundError(
      `queue: expected one of ${[...this.#queues.keys()].join(', ') || 'none'}, got ${JSON.stringify(name)}`,
    );
  }
}
