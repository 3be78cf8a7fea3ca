import { PRICES } from '../../cost/prices.ts';
import {
  type BackfillInput,
  CALL_SECONDS,
  READS_PER_WRITE,
  SEGMENTS_AT_ONCE,
} from '../../statemachine/backfill-contract.ts';
import type { Estimate } from '../changes.ts';
import type { DescribedTable } from '../table/describe-table.ts';

/** A write unit is 1 KB; a read unit of an eventually consistent Scan is 8 KB. */
const WRITE_UNIT_BYTES = 1024;
const READ_UNIT_BYTES = 8 * 1024;

/** Transitions of a child execution besides those of its calls: its start, its first state and its last one. */
const TRANSITIONS_PER_SEGMENT = 3;
/** The call, and the Choice state after it. */
const TRANSITIONS_PER_CALL = 2;

export function estimate(
  { itemCount: items, sizeBytes: bytes }: Pick<DescribedTable, 'itemCount' | 'sizeBytes'>,
  { segments, ratePerSecond, dryRun }: Required<BackfillInput>,
  functionMemoryMb: number,
): Estimate {
  const ofOneItem = Math.max(1, Math.ceil(bytes / Math.max(1, items) / WRITE_UNIT_BYTES));
  // Each item takes one write for itself and one for its index entry.
  const writeUnits = dryRun ? 0 : items * (ofOneItem + 1);
  const readUnits = Math.ceil(bytes / READ_UNIT_BYTES);
  const seconds = items / (dryRun ? ratePerSecond * READS_PER_WRITE : ratePerSecond);
  const atOnce = Math.min(segments, SEGMENTS_AT_ONCE);
  const calls = segments + (seconds * atOnce) / CALL_SECONDS;
  const transitions = segments * TRANSITIONS_PER_SEGMENT + calls * TRANSITIONS_PER_CALL;
  const dollars =
    writeUnits * PRICES.dynamoDbWriteUnits +
    readUnits * PRICES.dynamoDbReadUnits +
    transitions * PRICES.stateTransitions +
    calls * PRICES.functionInvocations +
    seconds * atOnce * (functionMemoryMb / 1024) * PRICES.functionGbSeconds;
  return { seconds, writeUnits, readUnits, dollars };
}
