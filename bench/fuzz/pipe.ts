import type { Clock } from 'stepfunctions-emulator';
import type { DynamoDbStreamRecord } from '../../functions/only-expiries/contract.ts';
import { enrichmentInput } from '../../local/pipes/pipes.ts';
import type { Delivery } from '../ledger/deliveries.ts';
import type { Faults } from './faults.ts';
import type { CallFunction } from './functions.ts';
import type { FuzzedTable } from './fuzzed-table.ts';
import type { Change } from './table.ts';
import type { FuzzedPipe } from './variants.ts';

/** Makes the stream's record of a deletion. The record's time is `recordedAt`, milliseconds, rounded down to whole seconds. */
function removalRecord({ key: Keys, recordedAt, eventId, before = {} }: Change): DynamoDbStreamRecord {
  const ApproximateCreationDateTime = Math.floor(recordedAt / 1000);
  return {
    eventID: eventId,
    eventName: 'REMOVE',
    dynamodb: { ApproximateCreationDateTime, Keys, OldImage: before, SequenceNumber: eventId },
  };
}

interface PipeOptions {
  readonly pipe: FuzzedPipe;
  readonly source: FuzzedTable;
  readonly call: CallFunction;
  readonly faults: Faults;
  readonly clock: Clock;
}

const POLL_MS = 1_000;

/** Starts a simulated pipe of EventBridge: after an error of the function or the target, the pipe repeats the whole batch. */
export function startPipe({ pipe, source, call, faults, clock }: PipeOptions) {
  let isStopped = false;
  const removals: DynamoDbStreamRecord[] = [];
  source.table.listeners.push(change => {
    if (change.after === undefined) removals.push(removalRecord(change));
  });
  /** @returns false if the batch must be repeated */
  const take = async (batch: readonly DynamoDbStreamRecord[]): Promise<boolean> => {
    const result = await call('OnlyExpiries', enrichmentInput(pipe.inputTemplate, batch));
    if (!result.ok) return false;
    const events = JSON.parse(JSON.stringify(result.payload)) as Delivery[];
    if (events.length === 0) return true;
    const isOut = faults.isOut('target');
    const effect = isOut ? 'refuse' : faults.ofCall({ operation: 'deliver', keys: 0 })?.kind;
    if (effect === 'refuse' || effect === 'cutBefore') return false;
    for (const event of events) source.oracle.deliveries.delivered(pipe.name, event);
    return effect !== 'cutAfter';
  };
  const run = async (): Promise<void> => {
    for (let next = 0; !isStopped; ) {
      const batch = removals.slice(next, next + pipe.batchSize);
      const isTaken = batch.length > 0 && (await take(batch));
      if (isTaken) next += batch.length;
      else await clock.sleep(POLL_MS);
    }
  };
  const stop = () => {
    isStopped = true;
  };
  return { ended: run(), stop };
}
