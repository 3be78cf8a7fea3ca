import { VirtualClock } from '../../src/clock.ts';
import type { Execution } from '../../src/interpreter/index.ts';
import { wait } from '../interpreter/run-definition.ts';
import { create, jsonata, runToEnd, useStepFunctionsApi } from './support.ts';

const RESOURCE = 'arn:aws:states:::states:startExecution';
const api = useStepFunctionsApi({ clock: new VirtualClock() });

const starting = (args: unknown): string =>
  jsonata({ A: { Type: 'Task', Resource: RESOURCE, Arguments: args, End: true } });
const WAIT = jsonata({ A: { ...wait(200), Output: '{% $states.input %}' } });

const executionOf = (arn: string): Execution => {
  const found = api.started.find(execution => execution.arn === arn);
  if (found === undefined) throw new Error(`no execution ${arn} was started`);
  return found;
};
const run = async (...args: [string, Parameters<typeof runToEnd>[2]?]): Promise<Execution> =>
  executionOf(await runToEnd(api, ...args));
/** The one that it has started. */
const nestedIn = ({ output }: Execution): Execution =>
  executionOf((output as { ExecutionArn: string }).ExecutionArn);

test('one execution starts another, and does not wait for it', async () => {
  const child = await create(api, WAIT);
  const parent = await create(
    api,
    starting({
      StateMachineArn: child,
      Name: 'nested',
      Input: { by: '{% $states.context.Execution.Name %}' },
    }),
  );
  const execution = await run(parent, { name: 'first' });
  const { startDate } = execution;
  expect(execution).toMatchObject({ status: 'SUCCEEDED', stopDate: startDate });
  const ExecutionArn = `${child.replace(':stateMachine:', ':execution:')}:nested`;
  expect(execution.output).toMatchObject({ ExecutionArn, StartDate: startDate });
  const nested = await nestedIn(execution).done;
  expect(nested).toMatchObject({ output: { by: 'first' }, stopDate: startDate + 200_000 });
  // It is billed by itself.
  expect(execution.billing.stateTransitions).toBe(1);
});

test.each([
  ['an Express state machine', 'EXPRESS', /:express:/],
  ['a Standard one', 'STANDARD', /:execution:/],
] as const)('%s is started without a name and an input', async (_what, type, arn) => {
  const child = await create(api, WAIT, type);
  const nested = nestedIn(await run(await create(api, starting({ StateMachineArn: child }))));
  expect(nested.arn).toMatch(arn);
  expect((await nested.done).output).toEqual({});
});

test('Input may be the JSON text itself', async () => {
  const child = await create(api, WAIT);
  const parent = await create(api, starting({ StateMachineArn: child, Input: '[1]' }));
  expect(nestedIn(await run(parent)).input).toEqual([1]);
});

test.each([
  [
    'a state machine that is not there',
    { StateMachineArn: '$x' },
    'StateMachineDoesNotExist',
    /Does Not Exist/,
  ],
  ['no StateMachineArn', {}, 'Validation', /stateMachineArn/],
  [
    'an input that is no JSON',
    { StateMachineArn: '$', Input: 'no' },
    'InvalidExecutionInput',
    /expected JSON/,
  ],
  ['a name that is none', { StateMachineArn: '$', Name: 'a b' }, 'InvalidName', /white space/],
  ['an unknown argument', { StateMachineArn: '$', Nope: 1 }, 'Validation', /got Nope/],
])('fails on %s', async (_what, args, error, cause) => {
  const child = await create(api, WAIT);
  const text = JSON.stringify(args).replace('$', child);
  const execution = await run(await create(api, starting(JSON.parse(text))));
  expect(execution.error).toBe(`StepFunctions.${error}Exception`);
  expect(execution.cause).toMatch(cause);
});

test('a name is taken once', async () => {
  const child = await create(api, WAIT);
  const parent = await create(
    api,
    starting({ StateMachineArn: child, Name: 'once', Input: '{% $states.input %}' }),
  );
  expect((await run(parent, { input: { n: 1 } })).status).toBe('SUCCEEDED');
  expect((await run(parent, { input: { n: 2 } })).error).toBe(
    'StepFunctions.ExecutionAlreadyExistsException',
  );
  const { executions } = await api.client.listExecutions({ stateMachineArn: child });
  expect(executions).toHaveLength(1);
});
