/** AWS bills Express executions in steps of 64 MB and of 100 ms (Step Functions pricing page). */
const EXPRESS_MEMORY_STEP_MB = 64;
const EXPRESS_DURATION_STEP_MS = 100;
const EXPRESS_BASE_MB = 50;
/** Bytes of one MB: decimal, because the examples of the pricing page count 1,000 KB as one MB. */
const MB = 1e6;

/**
 * Estimated memory of an Express execution, MB. Source: https://aws.amazon.com/step-functions/pricing/, examples 3 and 4.
 * @param dataBytes data in states and variables, of all iterations and branches together
 */
export const expressMemoryMb = (definitionBytes: number, dataBytes: number): number =>
  EXPRESS_BASE_MB + (definitionBytes + dataBytes) / MB;

export interface ExpressBill {
  readonly memoryMb: number;
  readonly durationMs: number;
}

export const expressBill = ({ memoryMb, durationMs }: ExpressBill): ExpressBill => ({
  memoryMb: Math.ceil(memoryMb / EXPRESS_MEMORY_STEP_MB) * EXPRESS_MEMORY_STEP_MB,
  durationMs: Math.max(1, Math.ceil(durationMs / EXPRESS_DURATION_STEP_MS)) * EXPRESS_DURATION_STEP_MS,
});

export interface BillingCounters {
  /** State transitions of Standard executions: entries into states, retries, and starts of child executions. */
  stateTransitions: number;
  expressRequests: number;
  expressGbSeconds: number;
  functionInvocations: number;
  /** Total duration of all function calls, not rounded, milliseconds. */
  functionDurationMs: number;
  /** Memory of functions × duration, GB-seconds. The duration of each call is rounded up to a whole millisecond, as on Lambda's bill. */
  functionGbSeconds: number;
  /** Use of other services by functions: name of a counter → amount. The invoker reports each amount by `InvokeOptions.onUsage`. */
  readonly usage: Record<string, number>;
}

type EngineCounter = Exclude<keyof BillingCounters, 'usage'>;

/** Lambda's smallest memory, MB. The bill assumes this memory for a function whose memory the invoker does not report. */
const MIN_FUNCTION_MEMORY_MB = 128;

export class Billing {
  readonly counters: BillingCounters = {
    stateTransitions: 0,
    expressRequests: 0,
    expressGbSeconds: 0,
    functionInvocations: 0,
    functionDurationMs: 0,
    functionGbSeconds: 0,
    usage: {},
  };
  readonly #parent: Billing | undefined;

  constructor(parent?: Billing) {
    this.#parent = parent;
  }

  add(counter: EngineCounter, amount: number): void {
    this.counters[counter] += amount;
    this.#parent?.add(counter, amount);
  }

  addExpress(taken: ExpressBill): void {
    const { memoryMb, durationMs } = expressBill(taken);
    this.add('expressGbSeconds', (memoryMb / 1024) * (durationMs / 1000));
  }

  addFunction(durationMs: number, memoryMb: number = MIN_FUNCTION_MEMORY_MB): void {
    this.add('functionDurationMs', durationMs);
    this.add('functionGbSeconds', (Math.ceil(durationMs) / 1000) * (memoryMb / 1024));
  }

  addUsage(counter: string, amount: number): void {
    const { usage } = this.counters;
    usage[counter] = (usage[counter] ?? 0) + amount;
    this.#parent?.addUsage(counter, amount);
  }
}
