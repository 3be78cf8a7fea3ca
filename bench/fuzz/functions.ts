import { Metrics } from '@aws-lambda-powertools/metrics';
import type { Clock, FunctionResult, RandomSource } from 'stepfunctions-emulator';
import { functionsInProcess } from '../../local/functions/in-process.ts';
import { FUNCTION_TIMEOUT_SECONDS, TASKS } from '../../statemachine/contract/machines.ts';
import { crash, type Faults } from './faults.ts';
import type { MemoryJournal } from './memory-journal.ts';
import type { CallTally, DocumentsOf, Invocation } from './sdk.ts';

interface FunctionsOptions {
  readonly journal: MemoryJournal;
  readonly clock: Clock;
  /** How far the functions' clocks are ahead of DynamoDB's clock now, milliseconds. */
  readonly aheadMs: () => number;
  readonly isPlanOut: () => boolean;
  readonly random: RandomSource;
  readonly documentsOf: DocumentsOf;
  readonly faults: Faults;
}

const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Calls a function by the name of its file. If the function fails, the result has the error. @param tally counts the call's deletes */
export type CallFunction = (name: string, payload: unknown, tally?: CallTally) => Promise<FunctionResult>;

/** The deployment's real functions with the AWS SDK's real clients. All requests go to a network that is simulated in memory. */
export function functionsOf(options: FunctionsOptions): CallFunction {
  const { journal, clock, aheadMs, isPlanOut, random, documentsOf, faults } = options;
  const metrics = new Metrics({ namespace: 'fuzz', serviceName: TASKS.RecordMetrics });
  const run = async (name: string, payload: unknown, invocation: Invocation): Promise<FunctionResult> => {
    const handler = functionsInProcess({
      ...{ deployment: 'fuzz', journal, metrics, logger: QUIET },
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
  };
  return async (name, payload, tally = new Map()) => {
    if (name === TASKS.PlanSweep && isPlanOut()) return crash();
    const fate = faults.functionFate();
    if (fate === 'late') await clock.sleep(faults.between(200, 5_000));
    const endsAt = clock.now() + (TIMEOUT_SECONDS[name] ?? 0) * 1000;
    const killedAt = fate === 'killed' ? clock.now() + faults.between(0, 40) : endsAt;
    if (fate === 'hung') await clock.sleep(faults.between(500, 12_000));
    const outcome = await run(name, payload, { killedAt, tally });
    const isOver = clock.now() >= killedAt;
    const isLost = fate === 'answerLost' || (fate === 'killed' && isOver);
    if (isLost) return crash();
    return isOver ? TIMED_OUT : outcome;
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
