import { Metrics } from '@aws-lambda-powertools/metrics';
import type { Clock, FunctionResult, RandomSource } from 'stepfunctions-emulator';
import { deleteChunk } from '../../functions/delete-chunk/handler.ts';
import type { PipedRecord } from '../../functions/only-expiries/contract.ts';
import { onlyExpiries } from '../../functions/only-expiries/handler.ts';
import { planReplay } from '../../functions/plan-sweep/plan-replay.ts';
import { planTick } from '../../functions/plan-sweep/plan-tick.ts';
import { queryExpired } from '../../functions/query-expired/handler.ts';
import { recordMetrics } from '../../functions/record-metrics/handler.ts';
import { readSettings, type SweepSettings, type WithSettings } from '../../functions/runtime/environment.ts';
import type { Runtime } from '../../functions/runtime/runtime.ts';
import { withoutMessages } from '../../functions/table/hidden-messages.ts';
import { indexReader } from '../../functions/table/index-query.ts';
import type { QueryExpiredInput } from '../../statemachine/contract/child.ts';
import type { DeleteChunkInput } from '../../statemachine/contract/chunks.ts';
import type { PlanSweepInput, RecordMetricsInput } from '../../statemachine/contract/execution.ts';
import { FUNCTION_TIMEOUT_SECONDS, TASKS } from '../../statemachine/contract/machines.ts';
import { crash, type Faults } from './faults.ts';
import type { MemoryJournal } from './memory-journal.ts';
import type { CallTally, DocumentsOf, Invocation } from './sdk.ts';

export interface FunctionsOptions {
  readonly settings: SweepSettings;
  readonly journal: MemoryJournal;
  /** The network's clock. */
  readonly clock: Clock;
  /** Number of milliseconds by which the functions' own clocks are ahead at this time. */
  readonly aheadMs: () => number;
  /** Whether each call of PlanSweep fails. */
  readonly isPlanOut: () => boolean;
  readonly random: RandomSource;
  readonly documentsOf: DocumentsOf;
  readonly faults: Faults;
}

type Handler = (payload: never, invocation: Invocation) => Promise<unknown>;

const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** The functions of a deployment, by the names of their files: the real functions and the AWS SDK's clients, on a network in memory. */
export class Functions {
  readonly #options: FunctionsOptions;
  readonly #metrics = new Metrics({ namespace: 'fuzz', serviceName: TASKS.RecordMetrics });

  constructor(options: FunctionsOptions) {
    this.#options = options;
  }

  /**
   * Calls a function. Never rejects.
   *
   * @param name of the function's file
   * @param tally counts the deletes of the call
   */
  async call(name: string, payload: unknown, tally: CallTally = new Map()): Promise<FunctionResult> {
    const handler = this.#handlers[name];
    if (handler === undefined) throw new TypeError(`expected one of the functions, got ${name}`);
    const { clock, faults, isPlanOut } = this.#options;
    if (name === TASKS.PlanSweep && isPlanOut()) return crash();
    const fate = faults.functionFate();
    if (fate === 'late') await clock.sleep(faults.between(200, 5_000));
    const endsAt = clock.now() + (TIMEOUT_SECONDS[name] ?? 0) * 1000;
    const killedAt = fate === 'killed' ? clock.now() + faults.between(0, 40) : endsAt;
    const invocation: Invocation = { killedAt, tally };
    if (fate === 'hung') await clock.sleep(faults.between(500, 12_000));
    const outcome = await this.#run(handler, payload, invocation);
    const isOver = clock.now() >= killedAt;
    const isLost = fate === 'answerLost' || (fate === 'killed' && isOver);
    if (isLost) return crash();
    return isOver ? TIMED_OUT : outcome;
  }

  async #run(handler: Handler, payload: unknown, invocation: Invocation): Promise<FunctionResult> {
    try {
      const answer = await handler(payload as never, invocation);
      return { ok: true, payload: answer, memoryMb: 512 };
    } catch (error) {
      const { name, message } = error as Error;
      return { ok: false, errorType: name, errorMessage: message };
    }
  }

  readonly #now = (): number => this.#options.clock.now() + this.#options.aheadMs();

  /** @param attempts per command, as set in the handler's file */
  #runtime(invocation: Invocation, attempts: 1 | 2 | 3, settings = this.#options.settings): Runtime {
    const { documentsOf, random, clock } = this.#options;
    const documents = documentsOf(attempts, invocation);
    return {
      settings,
      documents: this.#options.settings.logKeys === 'full' ? documents : withoutMessages(documents),
      logger: QUIET,
      clock: this.#now,
      random: () => random.next(),
      sleep: ms => clock.sleep(ms),
    };
  }

  readonly #journal = () => this.#options.journal;

  readonly #handlers: Readonly<Record<string, Handler>> = {
    [TASKS.PlanSweep]: (input: PlanSweepInput, invocation) => {
      const journal = this.#journal();
      if (input.machine === 'replay') return planReplay(input, journal);
      const { documents, logger, clock, sleep } = this.#runtime(invocation, 3);
      return planTick(input, {
        readIndexOf: (settings, options) => indexReader(documents, settings, options),
        ...{ logger, journal, clock, sleep, record: () => undefined },
      });
    },
    [TASKS.QueryExpired]: (input: WithSettings<QueryExpiredInput>, invocation) =>
      queryExpired(input, this.#runtime(invocation, 2, readSettings(input.settings)), this.#journal),
    [TASKS.DeleteChunk]: (input: WithSettings<DeleteChunkInput>, invocation) =>
      deleteChunk(input, this.#runtime(invocation, 1, readSettings(input.settings)), this.#journal),
    [TASKS.RecordMetrics]: (input: RecordMetricsInput) =>
      recordMetrics(input, {
        deployment: 'fuzz',
        logger: QUIET,
        metrics: this.#metrics,
        print: () => undefined,
        timeIsUp: () => new Promise(() => undefined),
        journal: this.#journal(),
      }),
    'only-expiries': async (batch: readonly PipedRecord[]) => onlyExpiries(batch),
  };
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
