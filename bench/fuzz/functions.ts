import { Metrics } from '@aws-lambda-powertools/metrics';
import type { Clock, FunctionResult, RandomSource } from 'stepfunctions-emulator';
import { type FunctionName, fileOf } from '../../functions/function-list.ts';
import { functionsInProcess } from '../../local/functions/in-process.ts';
import { TIMEOUT_SECONDS } from '../../stacks/parts/sweep-function.ts';
import type { Faults } from './faults.ts';
import type { MemoryJournal } from './memory-journal.ts';
import type { CallTally, DocumentsOf, Invocation } from './sdk.ts';

interface FunctionsOptions {
  readonly journal: MemoryJournal;
  readonly clock: Clock;
  /** How far the functions' clocks are ahead of `clock` now, milliseconds. */
  readonly aheadMs: () => number;
  readonly isPlanOut: () => boolean;
  readonly random: RandomSource;
  readonly documentsOf: DocumentsOf;
  readonly faults: Faults;
}

const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Calls a function. If the function fails, the result has the error. @param tally counts the call's deletes */
export type CallFunction = (
  name: FunctionName,
  payload: unknown,
  tally?: CallTally,
) => Promise<FunctionResult>;

/** Returns a caller of the deployment's real functions. Their DynamoDB clients are the AWS SDK's, on a network simulated in memory. */
export function functionsOf(options: FunctionsOptions): CallFunction {
  const { journal, clock, aheadMs, isPlanOut, random, documentsOf, faults } = options;
  const metrics = new Metrics({ namespace: 'fuzz', serviceName: 'fuzz' });
  const run = async (
    name: FunctionName,
    payload: unknown,
    invocation: Invocation,
  ): Promise<FunctionResult> => {
    const handler = functionsInProcess({
      ...{ deployment: 'fuzz', journal, metrics, logger: QUIET },
      ...{ print: () => undefined, record: () => undefined },
      documentsOf: attempts => documentsOf(attempts, invocation),
      clock: () => clock.now() + aheadMs(),
      random: () => random.next(),
      sleep: ms => clock.sleep(ms),
    })[fileOf(name)];
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
    if (name === 'PlanSweep' && isPlanOut()) return KILLED;
    const fate = faults.functionFate();
    if (fate === 'late') await clock.sleep(faults.between(200, 5_000));
    const endsAt = clock.now() + TIMEOUT_SECONDS[name] * 1000;
    const killedAt = fate === 'killed' ? clock.now() + faults.between(0, 40) : endsAt;
    if (fate === 'hung') await clock.sleep(faults.between(500, 12_000));
    const outcome = await run(name, payload, { killedAt, tally });
    const isOver = clock.now() >= killedAt;
    const isLost = fate === 'answerLost' || (fate === 'killed' && isOver);
    if (isLost) return KILLED;
    return isOver ? TIMED_OUT : outcome;
  };
}

const KILLED: FunctionResult = {
  ok: false,
  errorType: 'Runtime.ExitError',
  errorMessage: 'RequestId: injected Error: Runtime exited with error: signal: killed',
};

const TIMED_OUT: FunctionResult = {
  ok: false,
  errorType: 'Sandbox.Timedout',
  errorMessage: 'Task timed out',
};
