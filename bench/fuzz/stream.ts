import type { Clock } from 'stepfunctions-emulator';
import type { EventImage } from '../../expiry/expiry-event.ts';
import type { DynamoDbStreamRecord } from '../../functions/only-expiries/contract.ts';
import { enrichmentInput } from '../../local/pipes/pipes.ts';
import { StreamPoller } from '../../local/pipes/stream-poller.ts';
import type { ReadRecords, TableStream } from '../../local/pipes/table-stream.ts';
import type { Deliveries, Delivery } from '../ledger/deliveries.ts';
import type { Faults } from './faults.ts';
import type { Functions } from './functions.ts';
import type { Change } from './table.ts';
import type { FuzzedPipe } from './variants.ts';

const SHARDS = ['shard-0', 'shard-1'] as const;

/** Sequence numbers are as long as those of AWS: as doubles, two neighbours would be equal. */
const FIRST_SEQUENCE_NUMBER = 40_000_000_000_000_000_000_000n;

/** A table's stream, in memory. Its records contain the second of their change, by the clock of the server that made them. */
export class MemoryStream implements TableStream {
  readonly #records = new Map<string, DynamoDbStreamRecord[]>(SHARDS.map(id => [id, []]));
  readonly #keyNames: readonly string[];

  constructor(keyNames: readonly string[]) {
    this.#keyNames = keyNames;
  }

  add({ key, recordedAt, eventId, before, after }: Change): void {
    const shard = SHARDS[key.charCodeAt(Math.floor(key.length / 2)) % SHARDS.length] ?? SHARDS[0];
    const records = this.#records.get(shard) ?? [];
    const image = after ?? before ?? {};
    records.push({
      eventID: eventId,
      eventName: after === undefined ? 'REMOVE' : before === undefined ? 'INSERT' : 'MODIFY',
      dynamodb: {
        ApproximateCreationDateTime: Math.floor(recordedAt / 1000),
        Keys: Object.fromEntries(
          this.#keyNames.map(name => [name, image[name]]),
        ) as DynamoDbStreamRecord['dynamodb']['Keys'],
        ...(before && { OldImage: before }),
        ...(after && { NewImage: after as EventImage }),
        SequenceNumber: String(FIRST_SEQUENCE_NUMBER + BigInt(records.length)),
      },
    });
  }

  async shards() {
    return SHARDS.map(id => ({ id }));
  }

  async read(shardId: string, after: string | undefined, limit: number): Promise<ReadRecords> {
    const from = after === undefined ? 0 : Number(BigInt(after) - FIRST_SEQUENCE_NUMBER) + 1;
    return { records: (this.#records.get(shardId) ?? []).slice(from, from + limit), isEnd: false };
  }
}

export interface RunningPipeOptions {
  readonly pipe: FuzzedPipe;
  readonly stream: TableStream;
  readonly functions: Functions;
  readonly deliveries: Pick<Deliveries, 'delivered'>;
  readonly faults: Faults;
  readonly clock: Clock;
}

/** Pause between two reads, milliseconds. */
const POLL_MS = 1_000;

/** A pipe as EventBridge runs it: what fails, at the function or at the target, goes through the whole pipe again. */
export class RunningPipe {
  readonly #options: RunningPipeOptions;
  #isStopped = false;

  constructor(options: RunningPipeOptions) {
    this.#options = options;
  }

  /** Runs until it is stopped. */
  async run(): Promise<void> {
    const { pipe, stream, clock } = this.#options;
    const poller = await StreamPoller.open({
      ...{ stream, clock, batchSize: pipe.batchSize, fromLatest: false },
      timeOf: madeAtMs => madeAtMs,
      take: removals => this.#take(removals),
      onError: () => undefined,
    });
    while (!this.#isStopped) {
      await poller.drain().catch(() => undefined);
      await clock.sleep(POLL_MS);
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #take(removals: readonly DynamoDbStreamRecord[]): Promise<void> {
    const { pipe, functions, deliveries, faults, clock } = this.#options;
    const result = await functions.call('only-expiries', enrichmentInput(pipe.inputTemplate, removals));
    if (!result.ok) throw new Error(result.errorMessage);
    const events = JSON.parse(JSON.stringify(result.payload)) as Delivery[];
    if (events.length === 0) return;
    const effect = faults.isOut('target', clock.now())
      ? 'refuse'
      : faults.ofCall({ operation: 'deliver', keys: 0 })?.kind;
    if (effect === 'refuse' || effect === 'cutBefore') throw new Error('the target refused the events');
    for (const event of events) deliveries.delivered(pipe.name, event);
    if (effect === 'cutAfter') throw new Error('the answer of the target was lost');
  }
}
