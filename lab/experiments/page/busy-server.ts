import {
  ApiServer,
  Engine,
  type Execution,
  Executions,
  loadDefinition,
  NO_LOGGING,
  NO_TRACING,
  realClock,
  StateMachines,
  StateTester,
} from 'stepfunctions-emulator';

/** A server of Step Functions that has run much. */
export interface BusyServer {
  /** The address of the page of the execution with the most events. */
  readonly address: string;
  readonly events: number;
  readonly executions: number;
  stop(): Promise<void>;
}

const PLACE = { account: '123456789012', region: 'us-east-1', partition: 'aws' } as const;
const ARN = `arn:aws:states:${PLACE.region}:${PLACE.account}:stateMachine:many`;
const EVENTS_PER_ITEM = 9;

/** A Map that calls a function for each of its items. */
const DEFINITION = JSON.stringify({
  QueryLanguage: 'JSONata',
  StartAt: 'Each',
  States: {
    Each: {
      Type: 'Map',
      Items: '{% [1..$states.input.items] %}',
      ItemProcessor: {
        StartAt: 'Work',
        States: {
          Work: {
            Type: 'Task',
            Resource: `arn:aws:lambda:${PLACE.region}:${PLACE.account}:function:work`,
            Next: 'Tidy',
          },
          Tidy: { Type: 'Pass', End: true },
        },
      },
      Output: null,
      End: true,
    },
  },
});

/** Runs one execution with about so many events, and others with few. */
export async function startBusyServer(options: { executions: number; events: number }): Promise<BusyServer> {
  const invoker = {
    invoke: async (_arn: string, item: unknown) => ({ ok: true, payload: { item } }) as const,
  };
  const engine = new Engine({ invoker, clock: realClock });
  const stateMachines = new StateMachines(() => realClock.now());
  const executions = new Executions({
    start: (machine, started) => engine.start(machine, started),
    redrive: execution => execution.redrive(),
  });
  stateMachines.create({
    ...{ arn: ARN, name: 'many', type: 'STANDARD', roleArn: `arn:aws:iam::${PLACE.account}:role/many` },
    ...{ definitionText: DEFINITION, definition: loadDefinition(DEFINITION, 'STANDARD') },
    ...{ loggingConfiguration: NO_LOGGING, tracingConfiguration: NO_TRACING },
  });
  const run = (name: string, items: number): Promise<Execution> =>
    executions.start(stateMachines.get(ARN), { input: { items }, name }).execution.done;
  const long = await run('long', Math.floor(options.events / EVENTS_PER_ITEM));
  await Promise.all(
    Array.from({ length: options.executions - 1 }, (_none, index) => run(`other-${index}`, 1)),
  );
  const stateTester = new StateTester({ ...PLACE, invoker, clock: realClock });
  const server = await ApiServer.start({ stateMachines, executions, stateTester, ...PLACE });
  return {
    address: `${server.endpoint}/#${encodeURIComponent(long.arn)}`,
    events: long.history.length,
    executions: executions.of(ARN).length,
    stop: () => server.stop(),
  };
}
