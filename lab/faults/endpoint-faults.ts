import type { CallFault, ChooseCallFault } from 'aws-on-loopback/call-fault';
import { type RandomSource, seededRandom } from 'stepfunctions-emulator';
import type { ServiceName } from '../../local/services/local-services.ts';
import { checkShares, drawFault } from './fault.ts';

/** Faults between a function and the local services, by the names of their counts. */
export const ENDPOINT_FAULTS = {
  throttled: 'calls refused as throttled',
  unavailable: 'calls answered with a server error',
  cut: 'connections cut, every other one after the call took effect',
  hanging: 'calls never answered, every other one of which took effect',
  entries: 'entries of a batch that failed by themselves',
} as const;

export type EndpointFaultName = keyof typeof ENDPOINT_FAULTS;

/** Rates of the faults, 0 to 1: the rates of calls add up to at most 1; `entries` is the rate of failing entries. */
export type EndpointFaultRates = Readonly<Partial<Record<EndpointFaultName, number>>>;

export interface EndpointFaultsOptions {
  readonly service: ServiceName;
  /** @default 1 */
  readonly seed?: number;
  readonly rates: EndpointFaultRates;
}

type Refusal = readonly [error: string, status: number];

/**
 * Errors of the services. Sources: "Error responses" of the API references; for entries: PutEventsResultEntry, BatchResultErrorEntry,
 * PutRecordsResultEntry.
 */
const ERRORS = {
  s3: {
    throttled: [['SlowDown', 503]],
    unavailable: [
      ['InternalError', 500],
      ['ServiceUnavailable', 503],
    ],
    entries: [],
  },
  sqs: {
    throttled: [['RequestThrottled', 403]],
    unavailable: [
      ['InternalFailure', 500],
      ['ServiceUnavailable', 503],
    ],
    entries: ['InternalError', 'ServiceUnavailable'],
  },
  eventBridge: {
    throttled: [['ThrottlingException', 400]],
    unavailable: [['InternalException', 500]],
    entries: ['ThrottlingException', 'InternalFailure'],
  },
  kinesis: {
    throttled: [['ProvisionedThroughputExceededException', 400]],
    unavailable: [['InternalFailureException', 500]],
    entries: ['ProvisionedThroughputExceededException', 'InternalFailure'],
  },
} as const satisfies Record<
  ServiceName,
  { throttled: readonly Refusal[]; unavailable: readonly Refusal[]; entries: readonly string[] }
>;

const OF_CALLS = ['throttled', 'unavailable', 'cut', 'hanging'] as const satisfies EndpointFaultName[];

/** Draws faults by their rates, for the options `choose` and `failEntry` of a local service. */
export class SeededEndpointFaults {
  readonly #service: ServiceName;
  readonly #random: RandomSource;
  readonly #counts = new Map<EndpointFaultName, number>();
  #rates: EndpointFaultRates;

  /** @throws RangeError if a rate is not between 0 and 1, or their sum is above 1 */
  constructor({ service, seed = 1, rates }: EndpointFaultsOptions) {
    checkEndpointRates(rates);
    this.#service = service;
    this.#random = seededRandom(seed);
    this.#rates = rates;
  }

  /** Number of injected faults of each kind. */
  get counts(): Readonly<Partial<Record<EndpointFaultName, number>>> {
    return Object.fromEntries(this.#counts);
  }

  /** Changes the rates; `{}` ends all faults. @throws RangeError as the constructor does */
  setRates(rates: EndpointFaultRates): void {
    checkEndpointRates(rates);
    this.#rates = rates;
  }

  readonly choose: ChooseCallFault = () => {
    const name = drawFault(OF_CALLS, this.#rates, this.#random);
    if (name === undefined) return undefined;
    this.#count(name);
    return this.#fault(name);
  };

  /** @returns the name of the error with which an entry of a batch fails */
  readonly failEntry = (): string | undefined => {
    if (this.#random.next() >= (this.#rates.entries ?? 0)) return undefined;
    const error = this.#pick<string>(ERRORS[this.#service].entries);
    if (error !== undefined) this.#count('entries');
    return error;
  };

  #fault(name: (typeof OF_CALLS)[number]): CallFault | undefined {
    if (name === 'cut') return { kind: 'cut', done: this.#random.next() < 0.5 };
    if (name === 'hanging') return { kind: 'hang', done: this.#random.next() < 0.5 };
    const refusal = this.#pick<Refusal>(ERRORS[this.#service][name]);
    return refusal && { kind: 'refuse', error: refusal[0], status: refusal[1] };
  }

  #pick<T>(from: readonly T[]): T | undefined {
    return from[Math.floor(this.#random.next() * from.length)];
  }

  #count(name: EndpointFaultName): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }
}

function checkEndpointRates(rates: EndpointFaultRates): void {
  const unknown = Object.keys(rates).find(name => !(name in ENDPOINT_FAULTS));
  if (unknown !== undefined)
    throw new RangeError(`rates.${unknown}: expected one of ${Object.keys(ENDPOINT_FAULTS).join(', ')}`);
  checkShares(rates, OF_CALLS);
}
