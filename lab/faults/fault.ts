import type { CallEffect, DynamoDbCall } from 'aws-on-loopback/dynamodb/call-effect';
import { type RandomSource, seededRandom } from 'stepfunctions-emulator';

/** All faults with their descriptions, by the names of their counts. */
export const FAULTS = {
  throttled: 'calls refused as throttled',
  unavailable: 'calls answered with a server error',
  unprocessed: 'batches with some or all keys unprocessed',
  refusedKeys: 'batches with keys that DynamoDB will not delete',
  cutBefore: 'connections cut before the call took effect',
  cutAfter: 'connections cut after the call took effect',
  slow: 'answers that came late',
  stale: 'queries answered with outdated index entries',
  crashBefore: 'functions that crashed before they ran',
  crashAfter: 'functions that crashed after they ran',
  duplicate: 'invocations that were made twice',
  lateTick: 'ticks that came late',
  skippedTick: 'ticks that never came',
  doubledTick: 'ticks that came twice',
  overlap: 'further ticks for a minute that others were sweeping',
} as const;

export type FaultName = keyof typeof FAULTS;

/** Rates of the faults, 0 to 1. */
export type FaultRates = Readonly<Partial<Record<FaultName, number>>>;

/** Number of injected faults of each kind. */
export type FaultCounts = Readonly<Partial<Record<FaultName, number>>>;

/** An effect on a call. @property kind `stale`: a query is answered with old index entries */
export type DynamoDbEffect = CallEffect | { readonly kind: 'stale' };

export interface DynamoDbFault {
  readonly name: FaultName;
  readonly effect: DynamoDbEffect;
  /** Changes the table after the function has made the call, and before the call reaches DynamoDB. */
  readonly before?: () => Promise<unknown>;
}

/** Decides what happens to a call; undefined lets it through. */
export type ChooseFault = (call: DynamoDbCall) => DynamoDbFault | undefined;

/** Draws at most one fault by the rates, whose sum is at most 1. */
export function drawFault<Name extends string>(
  names: readonly Name[],
  rates: Readonly<Partial<Record<Name, number>>>,
  random: RandomSource,
): Name | undefined {
  let drawn = random.next();
  return names.find(name => {
    drawn -= rates[name] ?? 0;
    return drawn < 0;
  });
}

/**
 * Checks that each rate is between 0 and 1, and the sum of some of them at most 1.
 * @param names names of the rates that are added up
 * @throws RangeError if they are not
 */
export function checkShares(rates: Readonly<Record<string, number>>, names: readonly string[]): void {
  for (const [name, rate] of Object.entries(rates)) {
    if (!(rate >= 0 && rate <= 1))
      throw new RangeError(`rates.${name}: expected a share from 0 to 1, got ${rate}; 0.2 is 20 %`);
  }
  const sum = names.reduce((all, name) => all + (rates[name] ?? 0), 0);
  if (sum > 1 + 1e-9) {
    throw new RangeError(
      `rates: expected those of calls (${names.join(', ')}) to add up to 1 at the most, got ${sum}; lower some`,
    );
  }
}

/** Counts injected faults. */
export class FaultCounter {
  readonly #counts = new Map<FaultName, number>();

  add(name: FaultName): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  get counts(): FaultCounts {
    return Object.fromEntries(this.#counts);
  }
}

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

/** Errors of single statements after which the same statement may succeed. Source: API reference of BatchStatementError. */
export const BUSY_STATEMENT_ERRORS = [
  'ProvisionedThroughputExceeded',
  'ThrottlingError',
  'RequestLimitExceeded',
  'InternalServerError',
  'TransactionConflict',
] as const;

/**
 * Errors after which the same statement fails again. ConditionalCheckFailed is left out: it means that the item was renewed, and is never
 * injected unasked.
 */
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

  /** @throws RangeError when a rate is not between 0 and 1, or the rates add up to more than 1 */
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

/** Checks rates. @throws RangeError when a rate is not between 0 and 1, or the rates add up to more than 1 */
export function checkRates(rates: FaultRates): void {
  checkShares(rates, Object.keys(EFFECTS));
}
