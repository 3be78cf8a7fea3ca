import { VirtualClock } from '../../src/clock.ts';
import {
  Engine,
  type EngineOptions,
  type Execution,
  type FunctionInvoker,
  type FunctionResult,
  loadDefinition,
  type Machine,
  type StartOptions,
  seededRandom,
  type WorkflowType,
} from '../../src/interpreter/index.ts';

export const ACCOUNT = '111111111111';
export const MACHINE_ARN = `arn:aws:states:us-east-1:${ACCOUNT}:stateMachine:TestMachine`;
export const LAMBDA_INVOKE = 'arn:aws:states:::lambda:invoke';
export const arnOf = (functionName: string) => `arn:aws:lambda:us-east-1:${ACCOUNT}:function:${functionName}`;

/** These states, the first of which is the start. */
export const graphOf = (States: Record<string, object>) => ({ StartAt: Object.keys(States)[0], States });
export const graph = (name: string, state: object) => graphOf({ [name]: state });

/** A JSONata definition of these states. */
export const machineOf = (states: Record<string, object>, rest: object = {}): object => ({
  ...{ QueryLanguage: 'JSONata', ...graphOf(states) },
  ...rest,
});

export const pass = { Type: 'Pass', End: true };
/** A Task that calls the function `f`. */
export const task = { Type: 'Task', Resource: arnOf('f'), End: true };
export const wait = (Seconds: number) => ({ Type: 'Wait', Seconds, End: true });

/** An inline Map over its input. */
export const mapOf = (inner: object, rest: object = {}) => ({
  ...{ Type: 'Map', ItemProcessor: graph('I', inner), End: true },
  ...rest,
});

export const distributed = (inner: object, rest: object = {}, ExecutionType = 'EXPRESS') => {
  const ProcessorConfig = { Mode: 'DISTRIBUTED', ExecutionType };
  return mapOf(inner, { ItemProcessor: { ProcessorConfig, ...graph('I', inner) }, ...rest });
};

/** A function that throws an error of this name. */
export const raise = (name: string) => () => {
  throw Object.assign(new Error('no'), { name });
};

export type TestFunction = (event: unknown, clock: VirtualClock) => unknown;

/** Calls plain functions; what they throw is reported under the class of the error. */
export function invokerOf(functions: Record<string, TestFunction>, clock: VirtualClock): FunctionInvoker {
  return {
    async invoke(arn, event): Promise<FunctionResult> {
      const run = functions[arn.split(':')[6] ?? ''];
      if (run === undefined) {
        const errorMessage = `Function not found: ${arn}`;
        return { ok: false, errorType: 'Lambda.ResourceNotFoundException', errorMessage };
      }
      try {
        return { ok: true, payload: await run(event, clock) };
      } catch (error) {
        const { name, message } = error as Error;
        const cause = { errorMessage: message, errorType: name, requestId: 'request', stackTrace: [] };
        return { ok: false, errorType: name, errorMessage: message, cause };
      }
    },
  };
}

export interface RunOptions extends Partial<EngineOptions>, Partial<StartOptions> {
  readonly type?: WorkflowType;
  readonly functions?: Record<string, TestFunction>;
  readonly clock?: VirtualClock;
}

/** A state machine of this definition. */
export const testMachine = (definition: unknown, type: WorkflowType = 'STANDARD'): Machine => ({
  arn: MACHINE_ARN,
  name: 'TestMachine',
  roleArn: `arn:aws:iam::${ACCOUNT}:role/test`,
  type,
  definition: loadDefinition(definition),
});

/** Starts a definition on a virtual clock with a seeded random source. */
export function start(definition: unknown, options: RunOptions = {}): Execution {
  const { type, functions = {}, clock = new VirtualClock() } = options;
  const invoker = invokerOf(functions, clock);
  const engine = new Engine({ clock, random: seededRandom(1), invoker, ...options });
  return engine.start(testMachine(definition, type), { input: {}, ...options });
}

/** Runs a definition to its end. */
export const run = (definition: unknown, options: RunOptions = {}): Promise<Execution> =>
  start(definition, options).done;

/** The types of an execution's events, in order. */
export const eventTypes = (execution: Execution): string[] => execution.history.map(event => event.type);

/** The only problem of a failing expectation that helps: how the execution really ended. */
export const outcome = (execution: Execution) => ({
  status: execution.status,
  ...(execution.output !== undefined && { output: execution.output }),
  ...(execution.error !== undefined && { error: execution.error }),
});

/** A function that takes 10 ms, and how many of its calls ran at the same time at the most. */
export function countingFunction(): { readonly f: TestFunction; most(): number } {
  let running = 0;
  let most = 0;
  const f: TestFunction = async (_event, clock) => {
    most = Math.max(most, ++running);
    await clock.sleep(10);
    running -= 1;
  };
  return { f, most: () => most };
}
