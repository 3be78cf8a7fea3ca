import type { Clock, FunctionResult } from 'stepfunctions-emulator';
import {
  type Discarded,
  type DiscardReason,
  type LambdaStreamRecord,
  readBatchAnswer,
  type StreamOrigin,
  toLambdaRecord,
} from './batch.ts';
import type { Checkpoints, FirstRead } from './checkpoints.ts';
import { MAX_RECORDS } from './dynamodb-stream-source.ts';
import type { MappingSettings } from './mapping-settings.ts';
import type { RecordTime, StreamedRecord, StreamSource } from './stream-source.ts';

export interface ShardReaderOptions {
  readonly shardId: string;
  readonly source: StreamSource;
  readonly origin: StreamOrigin;
  readonly settings: MappingSettings;
  readonly checkpoints: Checkpoints;
  readonly clock: Clock;
  readonly timeOf: RecordTime;
  /** Hands records to the function. Never rejects. */
  readonly invoke: (event: StreamEvent) => Promise<FunctionResult>;
  /** Stores discarded records. When it rejects, it is retried. */
  readonly discard: (discarded: Discarded) => Promise<void>;
  /** Called with the age of a batch's last record when the batch is handed over, milliseconds. */
  readonly onIteratorAge?: ((ageMs: number) => void) | undefined;
  /** Called with errors before a retry: a stream that cannot be read, a queue that cannot be reached. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** The event with which a function is invoked. */
export interface StreamEvent {
  readonly Records: readonly LambdaStreamRecord[];
}

/** Payload of a synchronous invocation, bytes. Source: Lambda quotas, invocation payload. */
const MAX_PAYLOAD_BYTES = 6 * 1024 * 1024;
/** `{"Records":[]}` */
const EMPTY_EVENT_BYTES = 14;

/** Lambda documents that its retry delay grows, but not how long it is. */
const FIRST_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 30_000;

/** A record that waits for its invocation. */
interface Pending {
  readonly record: LambdaStreamRecord;
  readonly sequenceNumber: string;
  readonly createdAtMs: number;
  readonly readAtMs: number;
  /** Size of the record's JSON, with the comma after it. */
  readonly bytes: number;
}

/** A part of a batch, which is handed over separately. */
interface Part {
  readonly records: readonly Pending[];
  /** Failures that count against `maximumRetryAttempts`. */
  readonly failures: number;
  /** Number of times that these records were handed over, also as part of a larger batch. */
  readonly invocations: number;
  /** Failures in a row, which determine the next delay. */
  readonly waits: number;
  /** Whether the last invocation failed as a whole; undefined before the first. */
  readonly isFunctionError?: boolean | undefined;
}

/**
 * Reads one shard and hands its records to the function, one batch after another.
 *
 * 1. Read, and leave out records that match no filter.
 * 2. A batch is full, or its first record has waited for the batching window, or the shard ends: hand it over.
 * 3. When it succeeds, store the position. When it fails, wait, then hand over the remaining records, whole or split in two.
 * 4. Records that are too old, or failed too often, go to the failure destination, and the position goes on.
 *
 * @see Lambda Developer Guide, "Process DynamoDB records with Lambda" and "Retain discarded records for a DynamoDB event source"
 */
export class ShardReader {
  readonly #options: ShardReaderOptions;
  #pending: Pending[] = [];
  /** Sequence number of the last read record, whether or not it matched a filter. */
  #readTo: string | undefined;
  #firstReads: readonly FirstRead[];
  #isEnd = false;

  constructor(options: ShardReaderOptions) {
    this.#options = options;
    const checkpoint = options.checkpoints.get(options.shardId);
    this.#readTo = checkpoint?.after;
    this.#firstReads = checkpoint?.reads ?? [];
  }

  /**
   * Reads new records, and hands over the batches that are due.
   * @param options.flush whether what would wait for its window is handed over too
   * @returns when it is due again at the latest, epoch milliseconds, if something waits; `end` when the shard is done
   */
  async step(signal: AbortSignal, { flush = false } = {}): Promise<number | 'end' | undefined> {
    for (;;) {
      const read = await this.#read();
      while (!signal.aborted && this.#isDue(flush)) await this.#handOver(this.#cut(), signal);
      if (signal.aborted) return undefined;
      if (this.#isEnd && this.#pending.length === 0) {
        this.#options.checkpoints.save(this.#options.shardId, { isEnd: true });
        return 'end';
      }
      if (read === 0) return this.#windowEnd();
    }
  }

  /** @returns how many records were read */
  async #read(): Promise<number> {
    const { source, shardId, settings, clock } = this.#options;
    const room = settings.batchSize - this.#pending.length;
    if (this.#isEnd || room <= 0) return 0;
    const { records, isEnd } = await source.read(shardId, this.#readTo, Math.min(room, MAX_RECORDS));
    const readAtMs = clock.now();
    this.#isEnd = isEnd;
    const last = records.at(-1);
    if (last === undefined) return 0;
    this.#noteFirstRead(last.sequenceNumber, readAtMs);
    const before = this.#pending.length;
    for (const record of records) this.#take(record, readAtMs);
    this.#readTo = last.sequenceNumber;
    const isDone = this.#pending.length === 0;
    // Stored before the records are handed over: a process that reads them again after a kill gives them the same times.
    if (isDone) this.#saveDone(last.sequenceNumber);
    else if (this.#pending.length > before) this.#save();
    return records.length;
  }

  #noteFirstRead(upTo: string, at: number): void {
    const known = this.#firstReads.at(-1);
    if (known === undefined || BigInt(known.upTo) < BigInt(upTo)) {
      this.#firstReads = [...this.#firstReads, { upTo, at }];
    }
  }

  #take(streamed: StreamedRecord, readAtMs: number): void {
    const { origin, settings, timeOf } = this.#options;
    const { sequenceNumber } = streamed;
    const firstReadAtMs =
      this.#firstReads.find(({ upTo }) => BigInt(sequenceNumber) <= BigInt(upTo))?.at ?? readAtMs;
    const createdAtMs = timeOf(streamed.record.dynamodb?.ApproximateCreationDateTime, firstReadAtMs);
    const record = toLambdaRecord(streamed, origin, createdAtMs);
    const { filters } = settings;
    if (filters.length > 0 && !filters.some(matches => matches(record))) return;
    const bytes = Buffer.byteLength(JSON.stringify(record)) + 1;
    this.#pending.push({ record, sequenceNumber, createdAtMs, readAtMs, bytes });
  }

  #isDue(flush: boolean): boolean {
    if (this.#pending.length === 0) return false;
    if (flush || this.#isEnd || this.#pending.length >= this.#options.settings.batchSize) return true;
    if (this.#fitting() < this.#pending.length) return true;
    return this.#options.clock.now() >= (this.#windowEnd() ?? 0);
  }

  #windowEnd(): number | undefined {
    const [first] = this.#pending;
    return first && first.readAtMs + this.#options.settings.batchingWindowSeconds * 1000;
  }

  /** Number of records that fit into one invocation: at least one. */
  #fitting(): number {
    const { batchSize } = this.#options.settings;
    let bytes = EMPTY_EVENT_BYTES;
    const tooMany = this.#pending.findIndex((record, index) => {
      bytes += record.bytes;
      return index >= batchSize || bytes > MAX_PAYLOAD_BYTES;
    });
    return tooMany < 0 ? this.#pending.length : Math.max(1, tooMany);
  }

  #cut(): readonly Pending[] {
    return this.#pending.splice(0, this.#fitting());
  }

  /** Returns when each record is done or discarded, or when the reader is stopped. */
  async #handOver(batch: readonly Pending[], signal: AbortSignal): Promise<void> {
    const parts: Part[] = [{ records: batch, failures: 0, invocations: 0, waits: 0 }];
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      const tooOld = this.#tooOld(part.records);
      if (tooOld > 0) {
        await this.#giveUp({ ...part, records: part.records.slice(0, tooOld) }, 'RecordAgeExceeded', signal);
        part = { ...part, records: part.records.slice(tooOld) };
      }
      if (signal.aborted) return;
      if (part.records.length === 0) continue;
      const { left = [], givenUp } = await this.#try(part);
      if (givenUp !== undefined) await this.#giveUp(givenUp, 'RetryAttemptsExhausted', signal);
      parts.unshift(...left);
      const [first] = left;
      if (first !== undefined) await this.#pause(backoffMs(first.waits), signal);
    }
  }

  /** Number of records at the start that are older than the mapping's maximum age. */
  #tooOld(records: readonly Pending[]): number {
    const { settings, clock } = this.#options;
    const { maximumRecordAgeSeconds: age } = settings;
    if (age === undefined) return 0;
    const oldest = clock.now() - age * 1000;
    const young = records.findIndex(({ createdAtMs }) => createdAtMs >= oldest);
    return young < 0 ? records.length : young;
  }

  /**
   * Hands over a part of a batch.
   *
   * A cut does not count as a retry. A function that could not be invoked, as one that is throttled, is invoked again until its
   * records are too old. Source: "Retain discarded records for a DynamoDB event source". When some records were done, the retries of
   * the others are counted anew.
   *
   * @returns what of it is to be tried again, in order, or given up
   */
  async #try(part: Part): Promise<{ left?: readonly Part[]; givenUp?: Part }> {
    const { settings, invoke, clock, onIteratorAge } = this.#options;
    const { records } = part;
    onIteratorAge?.(Math.max(0, clock.now() - (records.at(-1)?.createdAtMs ?? 0)));
    const result = await invoke({ Records: records.map(({ record }) => record) });
    if (!result.ok && wasNotInvoked(result)) return { left: [{ ...part, waits: part.waits + 1 }] };
    const answer =
      result.ok && settings.reportsItemFailures
        ? readBatchAnswer(
            result.payload,
            records.map(({ sequenceNumber }) => sequenceNumber),
          )
        : ({ kind: result.ok ? 'done' : 'failed', index: 0 } as const);
    const done = answer.kind === 'done' ? records.length : answer.index;
    const lastDone = records[done - 1];
    if (lastDone !== undefined) this.#saveDone(lastDone.sequenceNumber);
    if (done === records.length) return {};
    const failed = { ...part, invocations: part.invocations + 1, isFunctionError: !result.ok };
    if (done > 0) return { left: [{ ...failed, records: records.slice(done), failures: 0, waits: 1 }] };
    if (settings.bisects && records.length > 1) return { left: halves(failed) };
    if (part.failures >= (settings.maximumRetryAttempts ?? Number.POSITIVE_INFINITY)) {
      return { givenUp: failed };
    }
    return { left: [{ ...failed, failures: part.failures + 1, waits: part.waits + 1 }] };
  }

  async #giveUp(
    { records, invocations, isFunctionError }: Part,
    reason: DiscardReason,
    signal: AbortSignal,
  ): Promise<void> {
    const { discard, shardId, onError } = this.#options;
    const last = records.at(-1);
    if (last === undefined) return;
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        await discard({
          reason,
          records: records.map(({ record }) => record),
          shardId,
          invocations,
          isFunctionError,
        });
        this.#saveDone(last.sequenceNumber);
        return;
      } catch (error) {
        onError?.(error);
        await this.#pause(backoffMs(attempt), signal);
      }
    }
  }

  /** Stores the position: all records up to here are done. */
  #saveDone(after: string): void {
    this.#firstReads = this.#firstReads.filter(({ upTo }) => BigInt(upTo) > BigInt(after));
    this.#options.checkpoints.save(this.#options.shardId, { after, reads: this.#firstReads });
  }

  /** Stores the first reads; the position is unchanged. */
  #save(): void {
    const { checkpoints, shardId } = this.#options;
    checkpoints.save(shardId, { ...checkpoints.get(shardId), reads: this.#firstReads });
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    await this.#options.clock.sleep(ms, signal).catch(() => {}); // The reader is stopped.
  }
}

function halves(part: Part): Part[] {
  const middle = Math.ceil(part.records.length / 2);
  return [part.records.slice(0, middle), part.records.slice(middle)].map(records => ({
    ...part,
    records,
    waits: 1,
  }));
}

/** Whether Lambda refused to invoke the function, such as by `Lambda.TooManyRequestsException`. */
function wasNotInvoked({ errorType }: Extract<FunctionResult, { ok: false }>): boolean {
  return errorType.startsWith('Lambda.') && errorType !== 'Lambda.Unknown';
}

/** Delay after this number of failures in a row, milliseconds. */
export function backoffMs(failures: number): number {
  return Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), MAX_BACKOFF_MS);
}
