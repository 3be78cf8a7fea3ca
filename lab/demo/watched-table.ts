import { type Clock, realClock } from 'stepfunctions-emulator';
import type { LocalCloud } from '../../local/cloud.ts';
import { localDynamoDbStreams } from '../../local/dynamodb/clients.ts';
import { Ledger } from './ledger.ts';
import type { Span } from './machine.ts';
import { StreamObserver } from './observer.ts';
import { SessionTable, type SessionTableOptions } from './session-table.ts';
import type { Action } from './workload.ts';
import { carryOut, type WriterOptions } from './writer.ts';

/** The table must have a stream with old images. */
export interface WatchedTableOptions extends SessionTableOptions {
  readonly cloud: LocalCloud;
  /** Pause between two reads of the stream, milliseconds. @default that of {@link StreamObserver} */
  readonly intervalMs?: number;
  /** DynamoDB answered a request of ours. Epoch milliseconds. */
  readonly onAnswer?: (span: Span) => void;
  /** The stream can't be read any more. */
  readonly onError: (error: unknown) => void;
}

/** A table that is written to by plan, and whose deletions are seen in its stream, whoever makes them. */
export class WatchedTable {
  readonly ledger = new Ledger();
  readonly #sessions: SessionTable;
  readonly #clock: Clock;
  readonly #onAnswer: WatchedTableOptions['onAnswer'];
  readonly #streams: ReturnType<typeof localDynamoDbStreams>;
  #observer: StreamObserver | undefined;

  private constructor({ cloud, ...options }: WatchedTableOptions) {
    this.#sessions = new SessionTable(cloud.client, options);
    this.#clock = options.clock ?? realClock;
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
        onRemoval: (image, seenAt) => {
          const { id, ttl } = watched.#sessions.read(image);
          watched.ledger.removed(id, { ttl, seenAt });
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
    { skipExpired = false }: Pick<WriterOptions, 'skipExpired'> = {},
  ): Promise<void> {
    return carryOut(actions, this.#sessions, this.ledger, signal, {
      clock: this.#clock,
      skipExpired,
      ...(this.#onAnswer && { onAnswer: this.#onAnswer }),
    });
  }

  /** What a consistent read of the whole table says against the ledger; each a sentence. */
  async verify(): Promise<readonly string[]> {
    const present = await this.#clock.busy(() => this.#sessions.readAll());
    return this.ledger.verify(present, this.#clock.now());
  }

  /** Stops after everything that has happened up to now was seen. Safe to call more than once. */
  async stop(): Promise<void> {
    await this.#observer?.stop();
    this.#streams.destroy();
  }
}
