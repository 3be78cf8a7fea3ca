import { type RandomSource, seededRandom } from 'stepfunctions-emulator';
import type { DynamoDbCall } from '../../local/dynamodb/call-effect.ts';
import type { ChooseFault, DynamoDbEffect, FaultName, FaultRates } from './fault.ts';

/** A stretch of time with rates of its own: `{seconds: 60, rates: {throttled: 1}}`. */
export interface FaultPhase {
  readonly seconds: number;
  readonly rates: FaultRates;
}

export interface SeededFaultsOptions {
  readonly seed: number;
  /** In force after the phases. */
  readonly rates: FaultRates;
  /** One after the other from the start. @default none */
  readonly phases?: readonly FaultPhase[];
  /** How late slow answers are, milliseconds. @default 6000, beyond the 5 s that the functions wait for an answer */
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

/** Faults of single calls, drawn by their rates. A call gets one at the most, so the rates add up to 1 at the most. */
export class SeededFaults {
  readonly #random: RandomSource;
  readonly #slowMs: number;
  readonly #phases: readonly FaultPhase[];
  #rates: FaultRates;
  #startedAt: number | undefined;

  /** @throws RangeError for rates that are no shares */
  constructor({ seed, rates, phases = [], slowMs = DEFAULT_SLOW_MS }: SeededFaultsOptions) {
    for (const one of [rates, ...phases.map(phase => phase.rates)]) checkRates(one);
    this.#random = seededRandom(seed);
    this.#rates = rates;
    this.#phases = phases;
    this.#slowMs = slowMs;
  }

  /** Other rates from now on; what is left of the phases comes first. */
  setRates(rates: FaultRates): void {
    checkRates(rates);
    this.#rates = rates;
  }

  readonly choose: ChooseFault = call => {
    let drawn = this.#random.next();
    for (const [name, rate] of Object.entries(this.#ratesAt(call.at)) as [FaultName, number][]) {
      const effect = EFFECTS[name];
      if (effect === undefined) continue;
      drawn -= rate;
      if (drawn >= 0) continue;
      const made = effect(call, this.#random, this.#slowMs);
      return made && { name, effect: made };
    }
    return undefined;
  };

  #ratesAt(at: number): FaultRates {
    this.#startedAt ??= at;
    let until = this.#startedAt;
    for (const { seconds, rates } of this.#phases) {
      until += seconds * 1000;
      if (at < until) return rates;
    }
    return this.#rates;
  }
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

/** All keys every other time, else some of them: at least one. */
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

/** @throws RangeError for rates that are no shares, or that are more than all together */
export function checkRates(rates: FaultRates): void {
  let sum = 0;
  for (const [name, rate] of Object.entries(rates)) {
    if (!(rate >= 0 && rate <= 1)) {
      throw new RangeError(`rates.${name}: expected a share from 0 to 1, got ${rate}; 0.2 is 20 %`);
    }
    if (name in EFFECTS) sum += rate;
  }
  if (sum > 1 + 1e-9) {
    throw new RangeError(
      `rates: expected those of DynamoDB's calls (${Object.keys(EFFECTS).join(', ')}) to add up to 1 at the most, got ${sum}; lower some`,
    );
  }
}
