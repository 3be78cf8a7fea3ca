import type { CallFault, ChooseCallFault } from 'aws-on-loopback/call-fault';
import { type RandomSource, seededRandom } from 'stepfunctions-emulator';
import { checkShares, drawFault } from './fault.ts';

const NAMES = ['throttled', 'unavailable', 'cut', 'hanging'] as const;

/**
 * Faults of S3, by the names of their counts: calls refused as throttled, calls answered with a server error, connections cut, and calls
 * never answered. About half of the calls with one of the last two faults take effect.
 */
export type S3FaultName = (typeof NAMES)[number];

/** Rates of the faults, 0 to 1, which add up to at most 1. */
export type S3FaultRates = Readonly<Partial<Record<S3FaultName, number>>>;

/** Source: "Error responses" of the API reference. */
const UNAVAILABLE = [
  ['InternalError', 500],
  ['ServiceUnavailable', 503],
] as const;

/** Draws faults by their rates, for the option `choose` of the local S3. */
export class SeededS3Faults {
  readonly #random: RandomSource;
  readonly #counts = new Map<S3FaultName, number>();
  #rates: S3FaultRates = {};

  /** @throws RangeError when a rate is not between 0 and 1, or the rates add up to more than 1 */
  constructor(seed: number, rates: S3FaultRates) {
    this.#random = seededRandom(seed);
    this.setRates(rates);
  }

  /** Number of injected faults of each kind. */
  get counts(): Readonly<Partial<Record<S3FaultName, number>>> {
    return Object.fromEntries(this.#counts);
  }

  /** Changes the rates; `{}` ends all faults. @throws RangeError as the constructor does */
  setRates(rates: S3FaultRates): void {
    checkShares(rates, NAMES);
    this.#rates = rates;
  }

  readonly choose: ChooseCallFault = () => {
    const name = drawFault(NAMES, this.#rates, this.#random);
    if (name === undefined) return undefined;
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    return this.#fault(name);
  };

  #fault(name: S3FaultName): CallFault {
    const isEven = this.#random.next() < 0.5;
    if (name === 'cut') return { kind: 'cut', done: isEven };
    if (name === 'hanging') return { kind: 'hang', done: isEven };
    const [error, status] = name === 'throttled' ? (['SlowDown', 503] as const) : UNAVAILABLE[isEven ? 0 : 1];
    return { kind: 'refuse', error, status };
  }
}
