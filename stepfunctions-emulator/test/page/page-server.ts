import { type ApiContext, ApiServer, Executions, StateMachines } from '../../src/api/index.ts';
import { type Clock, realClock } from '../../src/clock.ts';
import { Engine, type Execution, loadDefinition, type WorkflowType } from '../../src/interpreter/index.ts';
import { PLACE, ROLE_ARN } from '../../src/made-up.ts';
import { arnOf, pageFunctions } from './machines.ts';

/** A server whose page is looked at. */
export interface PageServer {
  readonly address: string;
  /** The address of the page of one execution. */
  addressOf(execution: Execution): string;
  /** @param type @default STANDARD */
  add(name: string, definition: object, type?: WorkflowType): void;
  start(machine: string, input: unknown, name: string): Execution;
  stop(): Promise<void>;
}

export async function startPageServer(clock: Clock = realClock): Promise<PageServer> {
  const invoker = pageFunctions();
  const engine = new Engine({ invoker, clock });
  const stateMachines = new StateMachines(() => clock.now());
  const executions = new Executions({
    start: (machine, options) => engine.start(machine, options),
    redrive: execution => execution.redrive(),
  });
  const context: ApiContext = { stateMachines, executions, ...PLACE };
  const server = await ApiServer.start(context);
  const running = new Set<Execution>();
  return {
    address: `${server.endpoint}/`,
    addressOf: ({ arn }) => `${server.endpoint}/#${encodeURIComponent(arn)}`,
    add(name, definition, type = 'STANDARD') {
      const definitionText = JSON.stringify(definition);
      stateMachines.create({
        ...{ arn: arnOf(name), name, type, roleArn: ROLE_ARN, definitionText },
        definition: loadDefinition(definitionText, type),
      });
    },
    start(machine, input, name) {
      const { execution } = executions.start(stateMachines.get(arnOf(machine)), { input, name });
      running.add(execution);
      void execution.done.then(() => running.delete(execution));
      return execution;
    },
    async stop() {
      await server.stop();
      for (const execution of running) execution.stop();
    },
  };
}
