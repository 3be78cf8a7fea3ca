/** Express executions are billed in steps of 64 MB and of 100 ms (Step Functions pricing page). */
export const EXPRESS_MEMORY_STEP_MB = 64;
export const EXPRESS_DURATION_STEP_MS = 100;

/** What an execution and its child executions would be billed for. */
export interface BillingCounters {
  /** Of Standard executions: states entered, retries, and one for each child execution that was started. */
  stateTransitions: number;
  /** Express executions started. */
  expressRequests: number;
  /** Memory-time of Express executions, in GB-seconds. */
  expressGbSeconds: number;
  functionInvocations: number;
  /** Milliseconds that functions took, not rounded. */
  functionDurationMs: number;
  /** Memory-time of functions, in GB-seconds; each invocation is rounded up to a millisecond, as Lambda bills it. */
  functionGbSeconds: number;
  /** What else the functions used, under the names that their invoker reports it by; see `InvokeOptions.onUsage`. */
  readonly usage: Record<string, number>;
}

/** The counters that the engine itself keeps. */
type EngineCounter = Exclude<keyof BillingCounters, 'usage'>;

/** Lambda's least: taken for a function whose memory isn't known. */
const LEAST_FUNCTION_MEMORY_MB = 128;

/** Counts for one execution, and up to the execution that started it. */
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

  /**
   * One ended Express execution.
   *
   * @param memoryMb an estimate: AWS measures, and bills at least one step, which is what small payloads take
   */
  addExpress(durationMs: number, memoryMb: number = EXPRESS_MEMORY_STEP_MB): void {
    const steps = Math.max(1, Math.ceil(memoryMb / EXPRESS_MEMORY_STEP_MB));
    const billedMs = Math.max(1, Math.ceil(durationMs / EXPRESS_DURATION_STEP_MS)) * EXPRESS_DURATION_STEP_MS;
    this.add('expressGbSeconds', ((steps * EXPRESS_MEMORY_STEP_MB) / 1024) * (billedMs / 1000));
  }

  /** One ended invocation. */
  addFunction(durationMs: number, memoryMb: number = LEAST_FUNCTION_MEMORY_MB): void {
    this.add('functionDurationMs', durationMs);
    this.add('functionGbSeconds', (Math.ceil(durationMs) / 1000) * (memoryMb / 1024));
  }

  /** What a function used of something that only its invoker can see. */
  addUsage(counter: string, amount: number): void {
    const { usage } = this.counters;
    usage[counter] = (usage[counter] ?? 0) + amount;
    this.#parent?.addUsage(counter, amount);
  }
}
