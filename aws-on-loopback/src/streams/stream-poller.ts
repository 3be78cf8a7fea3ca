import type { Clock } from 'stepfunctions-emulator';
import { backoffMs, ShardReader, type ShardReaderOptions } from './shard-reader.ts';
import type { StreamShard } from './stream-source.ts';

export interface StreamPollerOptions extends Omit<ShardReaderOptions, 'shardId'> {
  /** Position at which it begins to read a stream without checkpoints. */
  readonly startingPosition: 'TRIM_HORIZON' | 'LATEST';
  /** Pause after a read without records, milliseconds. @default 250, Lambda's "base rate of 4 times per second" */
  readonly pollMs?: number | undefined;
}

/**
 * Interval at which the shards are listed, milliseconds. DynamoDB Local begins a new shard every few hours; when a shard ends, they are
 * listed immediately.
 */
const LIST_SHARDS_MS = 10_000;
const POLL_MS = 250;

/** Reads a table's stream for one function: each shard separately, and only after its parent is done. */
export class StreamPoller {
  readonly #options: StreamPollerOptions;
  readonly #stopping = new AbortController();
  readonly #readers = new Map<string, ShardReader>();
  readonly #running = new Map<string, Promise<void>>();
  /** The last step of each shard. */
  readonly #lastStep = new Map<string, Promise<unknown>>();
  /** Whether the starting position was applied: it does not apply to shards that begin later. */
  #isPlaced = false;
  /** Ends the wait for the next list of shards. */
  #listNow: () => void = () => {};
  #loop: Promise<void> | undefined;

  constructor(options: StreamPollerOptions) {
    this.#options = options;
  }

  /** Reads until it is stopped. */
  start(): void {
    this.#loop ??= this.#run();
  }

  /** Stops reading; resolves when no invocation is in progress. Safe to call more than once. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([this.#loop, ...this.#running.values()]);
  }

  /** Hands over all records in the stream, without waiting for batching windows. */
  async drain(): Promise<void> {
    const { signal } = this.#stopping;
    const ended = new Set<string>();
    for (;;) {
      const ready = (await this.#readyShards()).filter(({ id }) => !ended.has(id));
      const before = ended.size;
      for (const { id } of ready) {
        if (signal.aborted) return;
        if ((await this.#step(id, { flush: true })) === 'end') ended.add(id);
      }
      if (ended.size === before) return;
    }
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#stopping;
    for (let failures = 0; !signal.aborted; ) {
      const listed = new AbortController();
      this.#listNow = () => listed.abort();
      try {
        const shards = await clock.busy(() => this.#readyShards());
        failures = 0;
        for (const { id } of shards) {
          if (!this.#running.has(id)) this.#running.set(id, this.#follow(id));
        }
      } catch (error) {
        failures += 1;
        this.#tell(error, failures);
      }
      const pause = failures === 0 ? LIST_SHARDS_MS : backoffMs(failures);
      await sleepUntil(clock, pause, AbortSignal.any([signal, listed.signal]));
    }
  }

  /** Reads a shard to its end. Never rejects. */
  async #follow(shardId: string): Promise<void> {
    const { clock, pollMs = POLL_MS } = this.#options;
    const { signal } = this.#stopping;
    for (let failures = 0; !signal.aborted; ) {
      let pause = pollMs;
      try {
        const next = await clock.busy(() => this.#step(shardId));
        failures = 0;
        if (next === 'end') {
          this.#listNow();
          return;
        }
        if (next !== undefined) pause = Math.min(pause, Math.max(0, next - clock.now()));
      } catch (error) {
        failures += 1;
        this.#tell(error, failures);
        pause = backoffMs(failures);
      }
      await sleepUntil(clock, pause, signal);
    }
  }

  /** Reports the first of several failures in a row only. */
  #tell(error: unknown, failures: number): void {
    if (failures === 1 && !this.#stopping.signal.aborted) this.#options.onError?.(error);
  }

  /** Runs the steps of a shard one after another, whoever requests them. */
  #step(shardId: string, options: { readonly flush?: boolean } = {}): ReturnType<ShardReader['step']> {
    const before = this.#lastStep.get(shardId) ?? Promise.resolve();
    const step = before.then(async () => {
      try {
        return await this.#reader(shardId).step(this.#stopping.signal, options);
      } catch (error) {
        // The reader may hold records that are not done; a new reader begins at the checkpoint.
        this.#readers.delete(shardId);
        throw error;
      }
    });
    this.#lastStep.set(
      shardId,
      step.catch(() => {}),
    );
    return step;
  }

  #reader(shardId: string): ShardReader {
    let reader = this.#readers.get(shardId);
    if (reader === undefined) {
      reader = new ShardReader({ ...this.#options, shardId });
      this.#readers.set(shardId, reader);
    }
    return reader;
  }

  /** Shards that are not done and whose parents are done or expired. */
  async #readyShards(): Promise<readonly StreamShard[]> {
    const { source, checkpoints } = this.#options;
    const shards = await source.shards();
    const isNew = !this.#isPlaced && shards.every(({ id }) => checkpoints.get(id) === undefined);
    if (isNew && this.#options.startingPosition === 'LATEST') {
      for (const shard of shards) await this.#skip(shard);
    }
    this.#isPlaced = true;
    const open = new Set(shards.filter(({ id }) => checkpoints.get(id)?.isEnd !== true).map(({ id }) => id));
    return shards.filter(
      ({ id, parentId }) => open.has(id) && (parentId === undefined || !open.has(parentId)),
    );
  }

  /**
   * Skips the existing records of a shard. An iterator of the type LATEST would be faster, but has no position: when it expires before its
   * first record, later records are lost.
   */
  async #skip({ id, isOpen }: StreamShard): Promise<void> {
    const { source, checkpoints } = this.#options;
    let after: string | undefined;
    for (;;) {
      const { records, isEnd } = await source.read(id, after, 1_000);
      after = records.at(-1)?.sequenceNumber ?? after;
      if (isEnd || !isOpen) return checkpoints.save(id, { isEnd: true });
      if (records.length === 0) return checkpoints.save(id, after === undefined ? {} : { after });
    }
  }
}

async function sleepUntil(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  await clock.sleep(ms, signal).catch(() => {}); // The poller is stopped, or must continue immediately.
}
