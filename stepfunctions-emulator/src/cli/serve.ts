import {
  type ApiContext,
  ApiServer,
  Executions,
  nestedExecutions,
  type StateMachine,
  StateMachines,
} from '../api/index.ts';
import { type Clock, realClock, VirtualClock } from '../clock.ts';
import { Engine, type Execution, type FunctionInvoker } from '../interpreter/index.ts';
import { LambdaEndpoint } from '../lambda-endpoint.ts';
import { StateTester } from '../test-state/index.ts';
import { machineOf, readDefinition } from './definitions.ts';
import { StartError } from './errors.ts';
import { loadMocks, MockFunctions, NoFunctions } from './mocks.ts';
import type { ServerOptions } from './options.ts';
import { type ReloadEvents, watchDefinitions } from './watch.ts';

/** Events of the server while it runs. */
export interface ServerEvents extends ReloadEvents {
  /** Called when any execution has ended, except for children of a Map Run. */
  readonly onExecution: (execution: Execution) => void;
}

export interface Served {
  readonly endpoint: string;
  /** State machines from the definition files. */
  readonly stateMachines: readonly StateMachine[];
  /** Stops the running executions. Safe to call more than once. */
  stop(): Promise<void>;
}

/**
 * Starts the API, with the state machines of files, if any.
 * @throws {StartError}, {NotLoopbackError}; nothing is left running then
 */
export async function serve(options: ServerOptions, events: ServerEvents): Promise<Served> {
  const clock = options.virtualClock ? new VirtualClock(Date.now()) : realClock;
  const stateMachines = new StateMachines(() => clock.now());
  for (const source of options.definitions) {
    stateMachines.create(machineOf(source, readDefinition(source.file), options));
  }
  const invoker = await invokerOf(options, clock);
  const resources = nestedExecutions(() => context);
  const running = new Set<Execution>();
  const watch = (execution: Execution): void => {
    running.add(execution);
    void execution.done.then(() => {
      running.delete(execution);
      events.onExecution(execution);
    });
  };
  const engine = new Engine({
    clock,
    invoker,
    resources,
    expressDeliveries: () => [0, ...options.expressAgainMs],
    onStart: watch,
  });
  const executions = new Executions({
    start: (machine, start) => engine.start(machine, start),
    redrive: async execution => {
      await execution.redrive();
      watch(execution);
    },
  });
  const { account, region, partition } = options;
  const place = { account, region, partition };
  const stateTester = new StateTester({ ...place, clock, invoker, resources });
  const context: ApiContext = { stateMachines, executions, stateTester, ...place };
  const server = await listen(context, options.port);
  const unwatch = options.watch ? watchDefinitions(options, stateMachines, events) : () => {};
  return {
    endpoint: server.endpoint,
    stateMachines: stateMachines.all,
    async stop() {
      unwatch();
      await server.stop();
      engine.endDeliveries();
      const stopped = [...running];
      for (const execution of stopped) execution.stop('Emulator.Stopped', 'The server was stopped.');
      await Promise.all(stopped.map(execution => execution.done));
    },
  };
}

async function invokerOf(
  { functionsFile, lambdaEndpoint }: ServerOptions,
  clock: Clock,
): Promise<FunctionInvoker> {
  const mocks = functionsFile === undefined ? undefined : await loadMocks(functionsFile);
  const others =
    lambdaEndpoint === undefined
      ? new NoFunctions(
          mocks === undefined
            ? 'the server was started without --functions and --lambda-endpoint'
            : `${functionsFile} has ${[...mocks.keys()].join(', ')}`,
        )
      : new LambdaEndpoint(lambdaEndpoint.url, lambdaEndpoint.source);
  return mocks === undefined ? others : new MockFunctions(mocks, clock, others);
}

async function listen(context: ApiContext, port: number): Promise<ApiServer> {
  try {
    return await ApiServer.start(context, { port });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = { EADDRINUSE: 'on which something listens', EACCES: 'on which you may not listen' }[
      code ?? ''
    ];
    throw new StartError(
      `--port: expected a free port, got ${port}, ${why ?? message}; stop that, or choose another port with --port N`,
    );
  }
}
