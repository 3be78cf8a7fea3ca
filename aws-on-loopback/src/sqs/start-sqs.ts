import { type Clock, realClock } from 'stepfunctions-emulator';
import type { FailEntry } from '../call-fault.ts';
import { NotFoundError, requireNames } from '../errors.ts';
import { jsonProtocol, type LocalService, type ServiceOptions, startServer } from '../service.ts';
import { LOCAL_ACCOUNT } from '../service-variables.ts';
import { LocalQueue, type Outgoing, type QueuedMessage, type QueueOptions } from './queue.ts';
import { SQS, type SqsContext } from './sqs-api.ts';

export interface SqsOptions extends ServiceOptions {
  /** Existing queues, by name or with non-default options: a deployment creates them. */
  readonly queues: readonly (string | QueueOptions)[];
  /** @default the wall clock */
  readonly clock?: Pick<Clock, 'now' | 'sleep'>;
  /** Injects faults, for tests and the lab. @default no faults */
  readonly failEntry?: FailEntry | undefined;
  /** Called for every message that is added to a queue, except duplicates in a FIFO queue. */
  readonly onMessage?: ((queue: string, message: QueuedMessage) => void) | undefined;
}

/** Rules for queue names: 80 characters, including `.fifo`. Source: API reference, CreateQueue. */
const NAMES = {
  pattern: /^(?=.{1,80}$)[A-Za-z0-9_-]+(\.fifo)?$/,
  expected: "1 to 80 letters, digits, hyphens and underscores, with .fifo at the end of a FIFO queue's",
};

/**
 * Starts an SQS for this machine.
 *
 * @throws {LoopbackError} for a queue with a name that SQS refuses; rejects with the system's error when the port is taken
 */
export async function startSqs({
  queues,
  clock = realClock,
  failEntry,
  onMessage,
  ...server
}: SqsOptions): Promise<LocalSqs> {
  const given = queues.map(queue => (typeof queue === 'string' ? { name: queue } : queue));
  requireNames(
    'queues',
    given.map(({ name }) => name),
    NAMES,
  );
  const byName = new Map(
    given.map(options => {
      const told = (message: QueuedMessage) => onMessage?.(options.name, message);
      return [options.name, new LocalQueue(options, clock, told)];
    }),
  );
  const stopped = new AbortController();
  let endpoint = '';
  const context: SqsContext = {
    queues: byName,
    clock,
    signal: stopped.signal,
    failEntry,
    urlOf: name => `${endpoint}/${LOCAL_ACCOUNT}/${name}`,
  };
  const listening = await startServer(jsonProtocol(SQS, context), server);
  endpoint = listening.endpoint;
  return new LocalSqs(listening, byName, stopped);
}

/** An SQS on this machine. */
export class LocalSqs {
  readonly endpoint: string;
  readonly #server: LocalService;
  readonly #queues: ReadonlyMap<string, LocalQueue>;
  readonly #stopped: AbortController;

  constructor(server: LocalService, queues: ReadonlyMap<string, LocalQueue>, stopped: AbortController) {
    this.endpoint = server.endpoint;
    this.#server = server;
    this.#queues = queues;
    this.#stopped = stopped;
  }

  /** Messages of a queue that are not deleted, in the order in which they were sent. @throws {NotFoundError} */
  messages(queue: string): readonly QueuedMessage[] {
    return this.#find(queue).messages;
  }

  /** Number of messages of a queue that can be received now; undefined when the queue does not exist. */
  visibleMessages(queue: string): number | undefined {
    return this.#queues.get(queue)?.counts().visible;
  }

  /**
   * Sends a message as a service of AWS does, such as Lambda to a failure destination; no faults are injected.
   * @throws {NotFoundError}
   * @throws {ApiRequestError} for a message that SQS refuses
   */
  send(queue: string, message: Outgoing): QueuedMessage {
    return this.#find(queue).send(message);
  }

  /** The URL by which clients name a queue. @throws {NotFoundError} */
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
