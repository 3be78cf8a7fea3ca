import type { ExpiryModel } from '../../expiry/index.ts';
import { localDynamoDbStreams } from '../aws-clients.ts';
import type { LocalCloud } from '../cloud.ts';
import type { TableResource } from '../terraform.ts';
import { Ledger } from './ledger.ts';
import { StreamObserver } from './observer.ts';
import { SessionTable, type Stamp } from './session-table.ts';
import type { Action } from './workload.ts';
import { carryOut } from './writer.ts';

export interface WatchedTableOptions {
  readonly cloud: LocalCloud;
  /** It must have a stream with old images. */
  readonly table: TableResource;
  readonly model: ExpiryModel;
  /** Sets this run's items apart. Two tables of the same run have the same items. */
  readonly run: string;
  /** @default as the model says */
  readonly stamp?: Stamp;
  /** The stream can't be read any more. */
  readonly onError: (error: unknown) => void;
}

/** A table that is written to by plan, and whose deletions are seen in its stream, whoever makes them. */
export class WatchedTable {
  readonly ledger = new Ledger();
  readonly #sessions: SessionTable;
  readonly #streams: ReturnType<typeof localDynamoDbStreams>;
  #observer: StreamObserver | undefined;

  private constructor({ cloud, table, model, run, stamp }: WatchedTableOptions) {
    this.#sessions = new SessionTable(cloud.client, table, model, run, stamp);
    this.#streams = localDynamoDbStreams(cloud.dynamoDb.endpoint, table.region);
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
  write(actions: readonly Action[], signal: AbortSignal): Promise<void> {
    return carryOut(actions, this.#sessions, this.ledger, signal);
  }

  /** What a consistent read of the whole table says against the ledger; each a sentence. */
  async verify(): Promise<readonly string[]> {
    return this.ledger.verify(await this.#sessions.readAll(), Date.now());
  }

  /** Stops after everything that has happened up to now was seen. Safe to call more than once. */
  async stop(): Promise<void> {
    await this.#observer?.stop();
    this.#streams.destroy();
  }
}
