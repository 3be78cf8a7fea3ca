import type { CallEffect, DynamoDbCall } from 'aws-on-loopback/dynamodb/call-effect';
import type { RandomSource } from 'stepfunctions-emulator';

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
  /** Changes the table after the function has made the call and before it reaches DynamoDB. */
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

/** @param names names of rates whose sum is at most 1 @throws RangeError if a rate is not between 0 and 1 */
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
