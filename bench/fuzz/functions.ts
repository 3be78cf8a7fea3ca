import { Metrics } from '@aws-lambda-powertools/metrics';
import type { Clock, FunctionResult, RandomSource } from 'stepfunctions-emulator';
import { functionsInProcess } from '../../local/functions/in-process.ts';
import { FUNCTION_TIMEOUT_SECONDS, TASKS } from '../../statemachine/contract/machines.ts';
import { crash, type Faults } from './faults.ts';
import type { MemoryJournal } from './memory-journal.ts';
import type { CallTally, DocumentsOf, Invocation } from './sdk.ts';

export interface FunctionsOptions {
  readonly journal: MemoryJournal;
  readonly clock: Clock;
  /** How far the functions' clocks are ahead now, milliseconds. */
  readonly aheadMs: () => number;
  readonly isPlanOut: () => boolean;
  readonly random: RandomSource;
  readonly documentsOf: DocumentsOf;
  readonly faults: Faults;
}

const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** The real functions of a deployment, with the AWS SDK's real clients, on a network in memory. */
export class Functions {
  readonly #options: FunctionsOptions;
  readonly #metrics = new Metrics({ namespace: 'fuzz', serviceName: TASKS.RecordMetrics });

  constructor(options: FunctionsOptions) {
    this.#options = options;
  }

  /**
   * Calls a function. The result contains the function's error.
   *
   * @param name file name of the function
   * @param tally counts the deletes of the call
   */
  async call(name: string, payload: unknown, tally: CallTally = new Map()): Promise<FunctionResult> {
    const { clock, faults, isPlanOut } = this.#options;
    if (name === TASKS.PlanSweep && isPlanOut()) return crash();
    const fate = faults.functionFate();
    if (fate === 'late') await clock.sleep(faults.between(200, 5_000));
    const endsAt = clock.now() + (TIMEOUT_SECONDS[name] ?? 0) * 1000;
    const killedAt = fate === 'killed' ? clock.now() + faults.between(0, 40) : endsAt;
    const invocation: Invocation = { killedAt, tally };
    if (fate === 'hung') await clock.sleep(faults.between(500, 12_000));
    const outcome = await this.#run(name, payload, invocation);
    const isOver = clock.now() >= killedAt;
    const isLost = fate === 'answerLost' || (fate === 'killed' && isOver);
    if (isLost) return crash();
    return isOver ? TIMED_OUT : outcome;
  }

  async #run(name: string, payload: unknown, invocation: Invocation): Promise<FunctionResult> {
    const { journal, clock, aheadMs, random, documentsOf } = this.#options;
    const handler = functionsInProcess({
      ...{ deployment: 'fuzz', journal, metrics: this.#metrics, logger: QUIET },
      ...{ print: () => undefined, record: () => undefined },
      documentsOf: attempts => documentsOf(attempts, invocation),
      clock: () => clock.now() + aheadMs(),
      random: () => random.next(),
      sleep: ms => clock.sleep(ms),
    })[name];
    if (handler === undefined) throw new TypeError(`expected one of the functions, got ${name}`);
    try {
      const answer = await handler(payload as never);
      return { ok: true, payload: answer, memoryMb: 512 };
    } catch (error) {
      const { name: errorType, message: errorMessage } = error as Error;
      return { ok: false, errorType, errorMessage };
    }
  }
}

const TIMEOUT_SECONDS: Readonly<Record<string, number>> = {
  [TASKS.PlanSweep]: FUNCTION_TIMEOUT_SECONDS.PlanSweep,
  [TASKS.QueryExpired]: FUNCTION_TIMEOUT_SECONDS.QueryExpired,
  [TASKS.DeleteChunk]: FUNCTION_TIMEOUT_SECONDS.DeleteChunk,
  [TASKS.RecordMetrics]: FUNCTION_TIMEOUT_SECONDS.RecordMetrics,
  'only-expiries': 60,
};

const TIMED_OUT: FunctionResult = {
  ok: false,
  errorType: 'Sandbox.Timedout',
  errorMessage: 'Task timed out',
};
