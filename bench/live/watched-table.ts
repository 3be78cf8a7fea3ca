import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { ExpiryModel } from '../../expiry/index.ts';
import { Ledger } from '../../local/demo/ledger.ts';
import { StreamObserver } from '../../local/demo/observer.ts';
import { SessionTable, type Stamp } from '../../local/demo/session-table.ts';
import type { Action } from '../../local/demo/workload.ts';
import { carryOut } from '../../local/demo/writer.ts';
import type { TableResource } from '../../local/terraform.ts';

export interface WatchedTableOptions {
  readonly client: DynamoDBClient;
  readonly streams: DynamoDBStreamsClient;
  /** It must have a stream with old images. */
  readonly table: TableResource;
  readonly model: ExpiryModel;
  /** Sets this run's items apart. Two tables of the same run have the same items. */
  readonly run: string;
  /** @default as the model says */
  readonly stamp?: Stamp | undefined;
  /** The stream can't be read any more. */
  readonly onError: (error: unknown) => void;
}

/** A table that is written to by plan, and whose deletions are seen in its stream, whoever makes them. */
export class WatchedTable {
  readonly ledger = new Ledger();
  readonly #sessions: SessionTable;
  #observer: StreamObserver | undefined;

  private constructor(sessions: SessionTable) {
    this.#sessions = sessions;
  }

  static async start(options: WatchedTableOptions): Promise<WatchedTable> {
    const { client, streams, table, model, run, stamp, onError } = options;
    const sessions = new SessionTable(client, table, model, run, stamp);
    const watched = new WatchedTable(sessions);
    watched.#observer = await StreamObserver.start({
      client,
      streams,
      tableName: table.name,
      onRemoval: (image, seenAt) => {
        const { id, ttl } = sessions.read(image);
        watched.ledger.removed(id, { ttl, seenAt });
      },
      onError,
    });
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

  /** Stops after everything that has happened up to now was seen. */
  async stop(): Promise<void> {
    await this.#observer?.stop();
  }
}
