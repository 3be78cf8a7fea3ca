import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { type Clock, type FunctionResult, realClock } from 'stepfunctions-emulator';
import type { ExistingTable, TableResource } from '../dynamodb/table.ts';
import { type Discarded, discardMessage } from './batch.ts';
import { type CheckpointStore, CheckpointsInMemory } from './checkpoints.ts';
import { DynamoDbStreamSource, type SendJson } from './dynamodb-stream-source.ts';
import type { EventSourceMappingResource } from './mapping-settings.ts';
import { StreamPoller } from './stream-poller.ts';
import { machineRecordTime, type StreamSource, virtualRecordTime } from './stream-source.ts';
import { LOCAL_STREAM_LABEL, requireStream } from './table-stream.ts';

/** Options for event source mappings: how tables' streams call functions on this machine. */
export interface MappingOptions {
  /** File for the positions, so that another process continues after this one was killed. @default positions end with the process */
  readonly checkpointFile?: string | undefined;
  /** Pause after a read without records, milliseconds. @default 250, as Lambda */
  readonly pollMs?: number | undefined;
  /** Whether streams are read only by {@link EventSourceMappings.drain}: for a clock that stands still. @default false */
  readonly onlyDrained?: boolean | undefined;
  /** Wraps the source of a stream, for example to correct DynamoDB Local's record times. @default the source itself */
  readonly wrapSource?: ((source: StreamSource) => StreamSource) | undefined;
  /** Called at each invocation with the age of its last record, milliseconds. */
  readonly onIteratorAge?: ((functionName: string, ageMs: number) => void) | undefined;
  /** Called when records are discarded, after their destination has received them. */
  readonly onDiscarded?: ((discarded: Discarded, mapping: EventSourceMappingResource) => void) | undefined;
  /** Called when a stream cannot be read or a destination cannot be reached; a retry follows. @default prints the error */
  readonly onError?: ((error: unknown, mapping: EventSourceMappingResource) => void) | undefined;
}

/** The mappings of a deployment, with the functions and tables that they name. */
interface MappedStack {
  readonly mappings: readonly EventSourceMappingResource[];
  readonly functions: readonly { readonly arn: string; readonly name: string }[];
  readonly tables: readonly TableResource[];
  readonly existingTables: readonly ExistingTable[];
}

export interface MappingSurroundings extends Omit<MappingOptions, 'checkpointFile'> {
  /** @default they end with the process */
  readonly checkpoints: CheckpointStore | undefined;
  readonly synthesized: MappedStack;
  readonly client: DynamoDBClient;
  readonly streams: DynamoDBStreamsClient;
  /** Endpoint of DynamoDB. */
  readonly endpoint: string;
  readonly invoke: (functionArn: string, payload: unknown) => Promise<FunctionResult>;
  readonly sendJson: SendJson;
  readonly clock: Clock;
  /** Sends discarded records to the queue with this ARN. */
  readonly sendTo: (queueArn: string, message: object) => Promise<void>;
}

/** The event source mappings of what was synthesized. */
export class EventSourceMappings {
  readonly #surroundings: Kept;
  /** The pollers of the enabled mappings, by their addresses. */
  readonly #pollers: Map<string, StreamPoller>;

  private constructor(surroundings: Kept, pollers: Map<string, StreamPoller>) {
    this.#surroundings = surroundings;
    this.#pollers = pollers;
  }

  /** @throws {TableMismatchError} for a table without a stream */
  static async start(surroundings: MappingSurroundings): Promise<EventSourceMappings> {
    const { synthesized, onlyDrained = false, checkpoints = new CheckpointsInMemory() } = surroundings;
    const kept = { ...surroundings, checkpoints };
    const enabled = synthesized.mappings.filter(({ isEnabled }) => isEnabled);
    const pollers = new Map<string, StreamPoller>();
    for (const mapping of enabled) pollers.set(mapping.address, await pollerOf(mapping, kept));
    if (!onlyDrained) for (const poller of pollers.values()) poller.start();
    return new EventSourceMappings(kept, pollers);
  }

  /**
   * Replaces the mapping with this address, as UpdateEventSourceMapping does. An enabled mapping continues at its position in the table's
   * current stream; a stream without a position is read from the starting position.
   * @throws {TableMismatchError} for a table without a stream
   */
  async update(mapping: EventSourceMappingResource): Promise<void> {
    const { address, isEnabled } = mapping;
    const before = this.#pollers.get(address);
    this.#pollers.delete(address);
    await before?.stop();
    if (!isEnabled) return;
    const poller = await pollerOf(mapping, this.#surroundings);
    this.#pollers.set(address, poller);
    if (!this.#surroundings.onlyDrained) poller.start();
  }

  /** Hands over all records in the streams, without waiting for batching windows. */
  async drain(): Promise<void> {
    for (const poller of this.#pollers.values()) await poller.drain();
  }

  /** Resolves when no invocation is in progress. Safe to call more than once. */
  async stop(): Promise<void> {
    await Promise.all([...this.#pollers.values()].map(poller => poller.stop()));
  }
}

/** Surroundings of the mappings, with the positions of all of them. */
type Kept = MappingSurroundings & { readonly checkpoints: CheckpointStore };

async function pollerOf(
  mapping: EventSourceMappingResource,
  { synthesized, client, streams, endpoint, invoke, sendJson, clock, sendTo, checkpoints, ...options }: Kept,
): Promise<StreamPoller> {
  const { functionName, settings, startingPosition, failureQueueArn } = mapping;
  const called = synthesized.functions.find(({ arn, name }) => functionName === arn || functionName === name);
  const functionArn = called?.arn ?? functionName;
  const localArn = await requireStream(client, mapping, { ...synthesized, endpoint });
  const label = localArn.split('/').at(-1) ?? LOCAL_STREAM_LABEL;
  const streamArn = mapping.streamArn.replace(/[^/]+$/, label);
  const onError = (error: unknown) =>
    options.onError ? options.onError(error, mapping) : console.error(`${mapping.address}: ${error}`);
  const source = new DynamoDbStreamSource(streams, localArn, sendJson, (shardId, after) =>
    onError(new Error(`${shardId}: the stream no longer has what comes after ${after}; records are lost`)),
  );
  return new StreamPoller({
    source: options.wrapSource?.(source) ?? source,
    origin: { streamArn, region: streamArn.split(':')[3] ?? '' },
    settings,
    startingPosition,
    checkpoints: checkpoints.of(functionArn, localArn),
    clock,
    timeOf: clock === realClock ? machineRecordTime : virtualRecordTime,
    pollMs: options.pollMs,
    invoke: event => invoke(functionArn, event),
    async discard(discarded) {
      if (failureQueueArn !== undefined) {
        await sendTo(failureQueueArn, discardMessage(discarded, functionArn, clock.now()));
      }
      options.onDiscarded?.(discarded, mapping);
    },
    onIteratorAge: ageMs => options.onIteratorAge?.(called?.name ?? functionName, ageMs),
    onError,
  });
}
