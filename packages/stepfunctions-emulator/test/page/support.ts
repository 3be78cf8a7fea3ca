import { type ApiContext, ApiServer, Executions, StateMachines } from '../../src/api/index.ts';
import { realClock, type VirtualClock } from '../../src/clock.ts';
import { Engine, type Execution, loadDefinition, type WorkflowType } from '../../src/interpreter/index.ts';
import { PLACE, ROLE_ARN, stateMachineArn } from '../../src/made-up.ts';
import { graph, graphOf, invokerOf, mapOf, pass, type TestFunction } from '../interpreter/run-definition.ts';
import { definitionOf, task } from '../testing/support.ts';

// State machines and functions that the tests of the page show.

/** An order: a retry, a catch, a Parallel with a Map inside, a Choice and a Wait. */
export const ORDERS = definitionOf({
  Validate: task('Validate', {
    Assign: { order: '{% $states.input.order %}', lines: '{% $count($states.input.lines) %}' },
    Retry: [{ ErrorEquals: ['Busy'], IntervalSeconds: 1, MaxAttempts: 3, BackoffRate: 2 }],
    Catch: [{ ErrorEquals: ['Invalid'], Next: 'Rejected' }],
    Next: 'Prepare',
  }),
  Prepare: {
    Type: 'Parallel',
    Branches: [
      graph(
        'Reserve all',
        mapOf(pass, {
          Items: '{% $states.input.lines %}',
          ItemProcessor: graphOf({
            Reserve: task('Reserve', {
              Catch: [{ ErrorEquals: ['OutOfStock'], Next: 'Back-order' }],
              End: true,
            }),
            'Back-order': pass,
          }),
        }),
      ),
      graphOf({
        'Cool down': { Type: 'Wait', Seconds: '{% $states.input.seconds %}', Next: 'Charge' },
        Charge: task('Charge', {
          Retry: [{ ErrorEquals: ['Busy'], IntervalSeconds: 1, MaxAttempts: 2, BackoffRate: 2 }],
          End: true,
        }),
      }),
    ],
    Output: '{% $states.input %}',
    Catch: [{ ErrorEquals: ['CardDeclined'], Next: 'Rejected' }],
    Next: 'Large?',
  },
  'Large?': {
    Type: 'Choice',
    Choices: [{ Condition: '{% $lines > 100 %}', Next: 'Ask a person' }],
    Default: 'Ship',
  },
  'Ask a person': { Type: 'Wait', Seconds: 86_400, Next: 'Ship' },
  Ship: task('Ship', { End: true }),
  Rejected: { Type: 'Fail', Error: 'Rejected', Cause: '{% $states.input.Cause %}' },
});

/** A Map of as many iterations as its input says, one of which can fail. */
export const MANY = definitionOf({
  Each: {
    Type: 'Map',
    Items: '{% [1..$states.input.items] %}',
    ItemProcessor: graphOf({
      Work: task('Work', { Catch: [{ ErrorEquals: ['Broken'], Next: 'Note it' }], Next: 'Tidy' }),
      'Note it': pass,
      Tidy: pass,
    }),
    Output: null,
    Next: 'Done',
  },
  Done: { Type: 'Succeed' },
});

/** What a page must never take for its own. */
export const EVIL = `<script>throw new Error("run")</script><img src=x onerror="throw new Error('run')">`;

export const EVIL_MACHINE = definitionOf({
  '</script><b>First': task('Work', {
    Assign: { note: '{% $states.input %}' },
    Catch: [{ ErrorEquals: ['States.ALL'], Next: '<img src=x onerror=alert(1)>' }],
    Next: '<img src=x onerror=alert(1)>',
  }),
  '<img src=x onerror=alert(1)>': { Type: 'Fail', Error: '<i>Error</i>', Cause: EVIL },
});

/** A distributed Map. */
export const DISTRIBUTED = definitionOf({
  'Fan out': {
    Type: 'Map',
    Label: 'FanOut',
    ToleratedFailurePercentage: 100,
    ItemProcessor: {
      ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' },
      ...graph('Child work', task('Work')),
    },
    End: true,
  },
});

type Event = Readonly<Record<string, unknown>>;

const ANSWERS: Readonly<Record<string, (event: Event) => unknown>> = {
  Validate(order) {
    if (order['invalid'] === true) throw failure('Invalid', 'The order has no customer.');
    return order;
  },
  Reserve({ sku }) {
    if (sku === 'gone') throw failure('OutOfStock', 'none left');
    return { sku, reserved: true };
  },
  Charge({ declined }) {
    if (declined === true) throw failure('CardDeclined', 'no money');
    return { receipt: 'r-1' };
  },
  Ship: ({ order }) => ({ parcel: `p-${order}` }),
  Work(event) {
    if (Number(event) === 500) throw failure('Broken', 'number 500');
    return { done: event };
  },
};

const failure = (name: string, message: string): Error => Object.assign(new Error(message), { name });

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

export async function startPageServer(): Promise<PageServer> {
  const invoker = invokerOf(ANSWERS as Record<string, TestFunction>, realClock as VirtualClock);
  const engine = new Engine({ invoker, clock: realClock });
  const stateMachines = new StateMachines(() => realClock.now());
  const executions = new Executions({
    start: (machine, options) => engine.start(machine, options),
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
        ...{ arn: stateMachineArn(name), name, type, roleArn: ROLE_ARN, definitionText },
        definition: loadDefinition(definitionText, type),
      });
    },
    start(machine, input, name) {
      const { execution } = executions.start(stateMachines.get(stateMachineArn(machine)), { input, name });
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
