import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { type Clock, type FunctionResult, realClock } from 'stepfunctions-emulator';
import type { ExpiryEvent } from '../../expiry/expiry-event.ts';
import type { DynamoDbStreamRecord } from '../../functions/only-expiries/contract.ts';
import { enableStream } from '../dynamodb/tables.ts';
import { StreamPoller } from './stream-poller.ts';
import { TableStream } from './table-stream.ts';

export interface PipeResource {
  readonly address: string;
  readonly name: string;
  readonly tableName: string;
  readonly enrichmentArn: string;
  /** Input of the enrichment function for one record: JSON with {@link EVENT_PLACEHOLDER}. */
  readonly inputTemplate: string;
  readonly targetArn: string;
  readonly batchSize: number;
  readonly startingPosition: 'TRIM_HORIZON' | 'LATEST';
}

/** Pipes replaces this text with the record. Source: EventBridge User Guide, "Pipes input transformation", reserved variables. */
const EVENT_PLACEHOLDER = '<aws.pipes.event.json>';

export function enrichmentInput(template: string, records: readonly object[]): unknown[] {
  return records.map(record =>
    JSON.parse(template.replaceAll(EVENT_PLACEHOLDER, () => JSON.stringify(record))),
  );
}

export interface DeliveredExpiry {
  readonly pipe: PipeResource;
  readonly event: ExpiryEvent;
}

export interface PipesOptions {
  readonly onExpiry?: ((delivered: DeliveredExpiry) => void) | undefined;
  /** Called at the first of consecutive failures of a read or of the enrichment function. @default prints the error */
  readonly onError?: ((error: unknown, pipe: PipeResource) => void) | undefined;
  /** Pause after all records were read, milliseconds. @default 250 */
  readonly pollMs?: number | undefined;
  /** Whether only `drain()` reads the streams. @default false: the streams are also read every `pollMs` */
  readonly onlyDrained?: boolean | undefined;
}

interface PipesContext extends PipesOptions {
  readonly pipes: readonly PipeResource[];
  readonly client: DynamoDBClient;
  readonly streams: DynamoDBStreamsClient;
  readonly invoke: (functionArn: string, payload: unknown) => Promise<FunctionResult>;
  readonly clock: Clock;
}

export type Pipes = Awaited<ReturnType<typeof startPipes>>;

export async function startPipes(context: PipesContext) {
  const pollers: StreamPoller[] = [];
  for (const pipe of context.pipes) pollers.push(await pollerOf(pipe, context));
  if (!context.onlyDrained) for (const poller of pollers) poller.start();
  return {
    /** Delivers the expiries of all records that are in the streams now. @throws an error of a read or of the enrichment function */
    async drain(): Promise<void> {
      for (const poller of pollers) await poller.drain();
    },
    stop: () => Promise.all(pollers.map(poller => poller.stop())),
  };
}

async function pollerOf(
  pipe: PipeResource,
  { client, streams, invoke, clock, onExpiry, onError, pollMs }: PipesContext,
): Promise<StreamPoller> {
  const streamArn = await enableStream(client, pipe.tableName, 'NEW_AND_OLD_IMAGES');
  const report = (error: unknown) =>
    onError ? onError(error, pipe) : console.error(`${pipe.address}: ${error}`);
  return StreamPoller.open({
    stream: new TableStream(streams, streamArn),
    batchSize: pipe.batchSize,
    fromLatest: pipe.startingPosition === 'LATEST',
    clock,
    // DynamoDB Local rounds a record's time down to the minute, which is too coarse for an expiry. So the record gets the time at which it
    // is first read. The limit, the end of the record's minute, needs the real clock, because DynamoDB Local has no other.
    timeOf: (minuteMs, firstReadAtMs) =>
      clock === realClock ? Math.min(firstReadAtMs, minuteMs + 59_999) : firstReadAtMs,
    pollMs,
    onError: report,
    async take(removals) {
      for (const event of await enriched(pipe, removals, invoke)) onExpiry?.({ pipe, event });
    },
  });
}

/** Calls the enrichment function. @throws when it fails, returns no array, or returns more events than records */
async function enriched(
  { enrichmentArn, inputTemplate }: PipeResource,
  removals: readonly DynamoDbStreamRecord[],
  invoke: PipesContext['invoke'],
): Promise<readonly ExpiryEvent[]> {
  const result = await invoke(enrichmentArn, enrichmentInput(inputTemplate, removals));
  if (!result.ok) throw new Error(`${result.errorType}: ${result.errorMessage}`);
  const { payload } = result;
  if (Array.isArray(payload) && payload.length <= removals.length) return payload as ExpiryEvent[];
  throw new Error(
    `${enrichmentArn}: expected a list of at most ${removals.length} events, got ${JSON.stringify(payload)?.slice(0, 200)}`,
  );
}
