import type { DynamoDbCall } from 'aws-on-loopback/dynamodb/call-effect';
import type { ChooseFault } from './fault.ts';

interface WriteCapacityOptions {
  /** Write units that become available each second. */
  readonly unitsPerSecond: number;
}

/**
 * Write capacity of a table that is always busy: a token bucket of write units that all writers share, and that holds at most the units of
 * one second. A refused request takes no units, as with DynamoDB. Times are epoch milliseconds, and never decrease.
 */
export class WriteCapacity {
  readonly #unitsPerSecond: number;
  #units: number;
  #at: number | undefined;

  constructor({ unitsPerSecond }: WriteCapacityOptions) {
    this.#unitsPerSecond = unitsPerSecond;
    this.#units = unitsPerSecond;
  }

  /** Takes this number of units; returns false when there are not enough. */
  take(units: number, nowMs: number): boolean {
    const earned = ((nowMs - (this.#at ?? nowMs)) * this.#unitsPerSecond) / 1000;
    this.#units = Math.min(this.#unitsPerSecond, this.#units + earned);
    this.#at = nowMs;
    if (this.#units < units) return false;
    this.#units -= units;
    return true;
  }
}

/** Write units of an item of up to 1 KB and its entry in the index. */
export const ITEM_UNITS = 2;

/** The operations that write one item. */
const SINGLE = ['PutItem', 'UpdateItem', 'DeleteItem'];

/** Throttles writes that exceed a table's capacity: single writes as a whole, batches key by key. */
export function throttledByCapacity(capacity: WriteCapacity): ChooseFault {
  return ({ operation, keys, at }: DynamoDbCall) => {
    if (SINGLE.includes(operation)) {
      return capacity.take(ITEM_UNITS, at)
        ? undefined
        : {
            name: 'throttled',
            effect: { kind: 'refuse', error: 'ProvisionedThroughputExceededException', status: 400 },
          };
    }
    const refused = [...keys.keys()].filter(() => !capacity.take(ITEM_UNITS, at));
    if (refused.length === 0) return undefined;
    const errors = new Map(refused.map(index => [index, 'ProvisionedThroughputExceeded']));
    return { name: 'unprocessed', effect: { kind: 'leaveOut', errors } };
  };
}
