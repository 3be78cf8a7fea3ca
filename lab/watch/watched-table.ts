import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type Clock, realClock } from 'stepfunctions-emulator';
import { isObject } from '../../expiry/fields.ts';
import type { ItemImage } from '../../functions/stream/event.ts';
import type { LocalCloud } from '../../local/cloud.ts';
import { localDynamoDbStreams } from '../../local/dynamodb/clients.ts';
import type { SeenRemoval } from '../archive/arrivals.ts';
import type { Present } from '../ledger/item.ts';
import { Ledger } from '../ledger/ledger.ts';
import type { Reading, Violation } from '../ledger/verdict.ts';
import type { Action, Item } from '../workload/plan.ts';
import { SessionTable, type SessionTableOptions } from '../workload/session-table.ts';
import type { Stamped } from '../workload/stamp.ts';
import { carryOut, Writer, type WritingOptions } from '../workload/writer.ts';
import type { Span } from './machine.ts';
import { StreamObserver } from './observer.ts';

/** The table must have a stream with old images. */
export interface WatchedTableOptions extends SessionTableOptions {
  readonly cloud: LocalCloud;
  /** Writes to the table. @default the cloud's own */
  readonly client?: DynamoDBClient;
  /** Pause between two reads of the stream, milliseconds. @default that of {@link StreamObserver} */
  readonly intervalMs?: number;
  /** Gets every deletion that is seen, some twice. */
  readonly onRemoval?: (removal: SeenRemoval) => void;
  /** DynamoDB answered a request of ours. Epoch milliseconds. */
  readonly onAnswer?: (span: Span) => void;
  /** The stream can't be read any more. */
  readonly onError: (error: unknown) => void;
}

/** A table that is written to by plan, and whose deletions are seen in its stream, whoever makes them. */
export class WatchedTable {
  readonly ledger: Ledger;
  readonly #sessions: SessionTable;
  readonly #writer: Writer;
  readonly #clock: Clock;
  readonly #onAnswer: WatchedTableOptions['onAnswer'];
  readonly #streams: ReturnType<typeof localDynamoDbStreams>;
  #observer: StreamObserver | undefined;

  private constructor({ cloud, client = cloud.client, clock = realClock, ...options }: WatchedTableOptions) {
    this.ledger = new Ledger(() => clock.now());
    this.#sessions = new SessionTable(client, { ...options, clock });
    this.#writer = new Writer(this.#sessions, this.ledger);
    this.#clock = clock;
    this.#onAnswer = options.onAnswer;
    this.#streams = localDynamoDbStreams(cloud.dynamoDb.endpoint, options.table.region);
  }

  static async start(options: WatchedTableOptions): Promise<WatchedTable> {
    const watched = new WatchedTable(options);
    try {
      watched.#observer = await StreamObserver.start({
        client: options.cloud.client,
        streams: watched.#streams,
        tableName: options.table.name,
        onRemoval: (seen, seenAt) => {
          const { id, version, ttl, held } = watched.#sessions.read(seen);
          const image = inDynamoDbJson(seen) as ItemImage;
          watched.ledger.removed(id, version, { ttl, seenAt, held });
          options.onRemoval?.({ id, version, ttl, seenAt, image, key: watched.#sessions.keyIn(image) });
        },
        onError: options.onError,
        ...(options.intervalMs !== undefined && { intervalMs: options.intervalMs }),
        clock: watched.#clock,
        ...(watched.#onAnswer && { onAnswer: watched.#onAnswer }),
      });
    } catch (error) {
      await watched.stop();
      throw error;
    }
    return watched;
  }

  /**
   * Writes what was planned, in real time.
   *
   * @throws the first error of a request
   */
  write(
    actions: readonly Action[],
    signal: AbortSignal,
    options: Pick<WritingOptions, 'skipExpired' | 'onWritten'> = {},
  ): Promise<void> {
    return carryOut(actions, this.#writer, signal, {
      ...options,
      clock: this.#clock,
      ...(this.#onAnswer && { onAnswer: this.#onAnswer }),
    });
  }

  /** Does one deed at once. @returns of an item that was written the attributes by which it expires */
  act(action: Omit<Action, 'atMs'>): Promise<Stamped | undefined> {
    return this.#writer.act(action);
  }

  /** The id that an item has in the ledger. */
  id(item: Item): string {
    return this.#sessions.id(item);
  }

  /** Everything in the table by its id, read consistently. */
  readAll(): Promise<Map<string, Present>> {
    return this.#clock.busy(() => this.#sessions.readAll());
  }

  /** What a consistent read of the whole table says against the ledger. */
  async verify(swept: Pick<Reading, 'sweptUpTo'> = {}): Promise<Violation[]> {
    const present = await this.readAll();
    return this.ledger.verify(present, { nowMs: this.#clock.now(), ...swept });
  }

  /** Resolves when everything that has happened up to now was seen, or nothing more can be. */
  async caughtUp(): Promise<void> {
    await this.#observer?.caughtUp();
  }

  /** Stops after everything that has happened up to now was seen. Safe to call more than once. */
  async stop(): Promise<void> {
    await this.#observer?.stop();
    this.#streams.destroy();
  }
}

/** A value that the SDK has read, as DynamoDB's JSON has it: bytes in base64. */
function inDynamoDbJson(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(inDynamoDbJson);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inDynamoDbJson(each)]));
}
