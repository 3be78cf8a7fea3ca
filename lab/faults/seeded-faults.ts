import type { DynamoDbCall } from 'aws-on-loopback/dynamodb/call-effect';
import { type RandomSource, seededRandom } from 'stepfunctions-emulator';
import {
  type ChooseFault,
  checkShares,
  type DynamoDbEffect,
  drawFault,
  type FaultName,
  type FaultRates,
} from './fault.ts';

export interface SeededFaultsOptions {
  readonly seed: number;
  readonly rates: FaultRates;
  /** Delay of slow answers, milliseconds. @default 6000, beyond the functions' timeout of 5 s */
  readonly slowMs?: number;
}

// Source: DynamoDB Developer Guide, "Error handling with DynamoDB".
const THROTTLED = ['ProvisionedThroughputExceededException', 'ThrottlingException', 'RequestLimitExceeded'];
const UNAVAILABLE = [
  ['InternalServerError', 500],
  ['ServiceUnavailable', 503],
] as const;

/** Source: API reference of BatchStatementError. After these the same statement may succeed … */
export const BUSY_STATEMENT_ERRORS = [
  'ProvisionedThroughputExceeded',
  'ThrottlingError',
  'RequestLimitExceeded',
  'InternalServerError',
  'TransactionConflict',
] as const;

/** … and after these it will not. ConditionalCheckFailed is the answer to a renewal and never injected unasked. */
export const LASTING_STATEMENT_ERRORS = [
  'ValidationError',
  'AccessDenied',
  'ResourceNotFound',
  'ItemCollectionSizeLimitExceeded',
  'DuplicateItem',
] as const;

const DEFAULT_SLOW_MS = 6_000;

/** Faults of single calls, drawn by their rates. A call has at most one, so the rates add up to at most 1. */
export class SeededFaults {
  readonly #random: RandomSource;
  readonly #slowMs: number;
  #rates: FaultRates;

  /** @throws RangeError if a rate is not between 0 and 1 */
  constructor({ seed, rates, slowMs = DEFAULT_SLOW_MS }: SeededFaultsOptions) {
    checkRates(rates);
    this.#random = seededRandom(seed);
    this.#rates = rates;
    this.#slowMs = slowMs;
  }

  /** Changes the rates. */
  setRates(rates: FaultRates): void {
    checkRates(rates);
    this.#rates = rates;
  }

  readonly choose: ChooseFault = call => {
    const name = drawFault(CALL_FAULTS, this.#rates, this.#random);
    const made = name && EFFECTS[name]?.(call, this.#random, this.#slowMs);
    return name && made && { name, effect: made };
  };
}

type Effect = (call: DynamoDbCall, random: RandomSource, slowMs: number) => DynamoDbEffect | undefined;

const EFFECTS: Readonly<Partial<Record<FaultName, Effect>>> = {
  throttled: (_call, random) => ({ kind: 'refuse', error: pick(THROTTLED, random), status: 400 }),
  unavailable: (_call, random) => {
    const [error, status] = pick(UNAVAILABLE, random);
    return { kind: 'refuse', error, status };
  },
  unprocessed: ({ keys }, random) => leaveOut(keys, random, BUSY_STATEMENT_ERRORS),
  refusedKeys: ({ keys, operation }, random) =>
    // BatchWriteItem has no errors for single keys.
    operation === 'BatchExecuteStatement' ? leaveOut(keys, random, LASTING_STATEMENT_ERRORS) : undefined,
  cutBefore: () => ({ kind: 'cutBefore' }),
  cutAfter: (_call, random) => ({ kind: 'cutAfter', midAnswer: random.next() < 0.5 }),
  slow: (_call, _random, ms) => ({ kind: 'slow', ms }),
  stale: ({ operation }) => (operation === 'Query' ? { kind: 'stale' } : undefined),
};

const CALL_FAULTS = Object.keys(EFFECTS) as FaultName[];

/** Chooses all keys every other time, otherwise some of them: at least one. */
function leaveOut(
  keys: readonly string[],
  random: RandomSource,
  codes: readonly string[],
): DynamoDbEffect | undefined {
  if (keys.length === 0) return undefined;
  const share = random.next() < 0.5 ? 1 : random.next();
  const certain = Math.floor(random.next() * keys.length);
  const errors = new Map<number, string>();
  for (const index of keys.keys()) {
    if (index === certain || random.next() < share) errors.set(index, pick(codes, random));
  }
  return { kind: 'leaveOut', errors };
}

function pick<T>(from: readonly T[], random: RandomSource): T {
  return from[Math.floor(random.next() * from.length)] as T;
}

/** @throws RangeError if a rate is not between 0 and 1, or their sum is above 1 */
export function checkRates(rates: FaultRates): void {
  checkShares(rates, Object.keys(EFFECTS));
}
