import { type Clock, realClock } from 'stepfunctions-emulator';
import type { LocalCloud } from '../../local/cloud.ts';
import { Ledger } from '../ledger/ledger.ts';
import type { Violation } from '../ledger/verdict.ts';
import type { Action } from '../workload/plan.ts';
import { SessionTable, type SessionTableOptions } from '../workload/session-table.ts';
import { carryOut, type WritingOptions } from '../workload/writer.ts';
import type { Span } from './machine.ts';
import { StreamObserver } from './observer.ts';

/** The table must have a stream with old images. */
export interface WatchedTableOptions extends SessionTableOptions {
  readonly cloud: LocalCloud;
  /** Pause between two reads of the stream, milliseconds. @default that of {@link StreamObserver} */
  readonly intervalMs?: number;
  /** Whether the ledger keeps the items that were deleted, to compare an archive or events with them. @default false */
  readonly keepsImages?: boolean;
  /** Called for DynamoDB's answer to one of our requests, epoch milliseconds. */
  readonly onAnswer?: (span: Span) => void;
  /** Called when the stream cannot be read any more. */
  readonly onError: (error: unknown) => void;
}

/** A table that is written by plan, and whose deletions are observed in its stream, whoever makes them. */
export class WatchedTable {
  readonly ledger: Ledger;
  readonly #sessions: SessionTable;
  readonly #clock: Clock;
  readonly #onAnswer: WatchedTableOptions['onAnswer'];
  #observer: StreamObserver | undefined;

  private constructor({ cloud, clock = realClock, ...options }: WatchedTableOptions) {
    this.ledger = new Ledger(() => clock.now());
    this.#sessions = new SessionTable(cloud.client, this.ledger, { ...options, clock });
    this.#clock = clock;
    this.#onAnswer = options.onAnswer;
  }

  static async start(options: WatchedTableOptions): Promise<WatchedTable> {
    const watched = new WatchedTable(options);
    const { client, dynamoDb } = options.cloud;
    watched.#observer = await StreamObserver.start({
      ...{ client, endpoint: dynamoDb.endpoint, region: options.table.region },
      tableName: options.table.name,
      onRemoval: (record, seenAt) => {
        const { id, version, ttl } = watched.#sessions.read(record.image);
        watched.ledger.removed(id, version, { ttl, seenAt, ...(options.keepsImages && { record }) });
      },
      onError: options.onError,
      ...{ intervalMs: options.intervalMs, clock: watched.#clock, onAnswer: watched.#onAnswer },
    });
    return watched;
  }

  /** Writes new items at once. @throws the first error of a request */
  fill(items: readonly Pick<Action, 'item' | 'ttl'>[], signal: AbortSignal): Promise<void> {
    return this.#clock.busy(() => this.#sessions.fill(items, signal));
  }

  /**
   * Writes the planned items, in real time.
   * @throws the first error of a request
   */
  write(
    actions: readonly Action[],
    signal: AbortSignal,
    options: Pick<WritingOptions, 'skipExpired'> = {},
  ): Promise<void> {
    const writing = { ...options, clock: this.#clock, onAnswer: this.#onAnswer };
    return carryOut(actions, action => this.#sessions.act(action), signal, writing);
  }

  /** Finds contradictions between a consistent read of the whole table and the ledger. */
  async verify(): Promise<Violation[]> {
    const present = await this.#clock.busy(() => this.#sessions.readAll());
    return this.ledger.verify(present, { nowMs: this.#clock.now() });
  }

  /** Stops after all earlier deletions were seen. Safe to call more than once. */
  async stop(): Promise<void> {
    await this.#observer?.stop();
  }
}
