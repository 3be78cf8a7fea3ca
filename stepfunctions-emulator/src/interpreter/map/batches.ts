import type { ItemBatcher } from '../definition.ts';
import { isIntegerFrom } from '../field-checks.ts';
import { MAX_BATCH_BYTES } from '../limits.ts';
import { type Payload, payload } from '../payload.ts';
import type { StateVisit } from '../run/visit.ts';
import type { Batch } from './map-run.ts';

/** Groups the inputs of the children by the ItemBatcher: `{ BatchInput?, Items: […] }`. */
export async function batchItems(
  visit: StateVisit,
  batcher: ItemBatcher,
  inputs: readonly Payload[],
): Promise<Batch[]> {
  const maxItems =
    batcher.maxItemsPerBatch &&
    (await visit.evaluateField(
      batcher.maxItemsPerBatch,
      'number',
      isIntegerFrom(1, Number.MAX_SAFE_INTEGER),
      'an integer of at least 1',
    ));
  const maxBytes =
    batcher.maxInputBytesPerBatch &&
    (await visit.evaluateField(
      batcher.maxInputBytesPerBatch,
      'number',
      isIntegerFrom(1, MAX_BATCH_BYTES),
      `1 to ${MAX_BATCH_BYTES}`,
    ));
  const shared =
    batcher.batchInput === undefined ? {} : { BatchInput: await visit.evaluate(batcher.batchInput) };
  const emptyBytes = Buffer.byteLength(JSON.stringify({ ...shared, Items: [] }));
  return group(inputs, maxItems ?? Number.POSITIVE_INFINITY, (maxBytes ?? MAX_BATCH_BYTES) - emptyBytes).map(
    items => ({
      input: payload({ ...shared, Items: items.map(item => item.value) }),
      items: items.length,
    }),
  );
}

/** An item that is too large for any batch gets its own batch, and fails there. */
function group(inputs: readonly Payload[], maxItems: number, maxBytes: number): Payload[][] {
  const groups: Payload[][] = [];
  let current: Payload[] = [];
  let bytes = 0;
  for (const input of inputs) {
    const size = Buffer.byteLength(input.text) + 1; // The size includes a comma.
    if (current.length > 0 && (current.length >= maxItems || bytes + size > maxBytes)) {
      groups.push(current);
      current = [];
      bytes = 0;
    }
    current.push(input);
    bytes += size;
  }
  if (current.length > 0) groups.push(current);
  return groups;
}
