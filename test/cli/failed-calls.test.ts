import { Engine, type Execution, loadDefinition } from 'stepfunctions-emulator';
import { FailedCalls } from '../../cli/local-lines.ts';
import { useFunctions } from '../support/local-functions.ts';

const { functions } = useFunctions();

const ACCOUNT = '123456789012';
const task = (name: string, more: object = {}) => ({
  Type: 'Task',
  Resource: `arn:aws:lambda:us-east-1:${ACCOUNT}:function:${name}`,
  End: true,
  ...more,
});

/** Runs states with functions that print, and remembers their failed calls. */
async function run(states: Record<string, object>): Promise<{ execution: Execution; calls: FailedCalls }> {
  const calls = new FailedCalls();
  const invoker = functions(
    {
      fails: `export const handler = async event => { console.log('got ' + event); throw new Error('no good'); }`,
      works: `export const handler = async () => { console.log('fine'); }`,
    },
    {},
    { onInvocation: record => calls.add(record) },
  );
  const definition = loadDefinition(
    JSON.stringify({ QueryLanguage: 'JSONata', StartAt: Object.keys(states)[0], States: states }),
  );
  const machine = {
    arn: `arn:aws:states:us-east-1:${ACCOUNT}:stateMachine:m`,
    name: 'm',
    roleArn: `arn:aws:iam::${ACCOUNT}:role/r`,
    type: 'STANDARD',
    definition,
  } as const;
  const execution = await new Engine({ invoker }).start(machine, { input: 'first' }).done;
  return { execution, calls };
}

const FAILED = { functionName: 'fails', error: { errorType: 'Error', errorMessage: 'no good' } };

test('what failed in an execution is known by it, once', async () => {
  const { execution, calls } = await run({
    A: task('fails', { Catch: [{ ErrorEquals: ['States.ALL'], Next: 'B', Output: 'second' }] }),
    B: task('works', { Next: 'C', End: undefined, Output: 'third' }),
    C: task('fails'),
  });
  expect(execution.status).toBe('FAILED');
  expect(calls.take(execution)).toMatchObject({ ...FAILED, lines: ['got third'] });
  expect(calls.take(execution)).toBeUndefined();
});

test('what failed in a child of a Map Run is known by the execution that it belongs to', async () => {
  const child = { StartAt: 'C', States: { C: task('fails') } };
  const { execution, calls } = await run({
    M: {
      Type: 'Map',
      Items: ['item'],
      ToleratedFailurePercentage: 100,
      ItemProcessor: { ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'EXPRESS' }, ...child },
      Next: 'F',
    },
    F: { Type: 'Fail', Error: 'Left' },
  });
  expect(calls.take(execution)).toMatchObject({ ...FAILED, lines: ['got item'] });
  expect(calls.take(execution)).toBeUndefined();
});

test('nothing is known of calls that worked, nor of old ones of executions that nobody asks about', async () => {
  const { execution, calls } = await run({ A: task('works') });
  expect(calls.take(execution)).toBeUndefined();
  const { execution: failed, calls: many } = await run({ A: task('fails') });
  for (let index = 0; index < 1_000; index++) {
    many.add({
      functionName: 'f',
      startedAt: 0,
      durationMs: 0,
      ok: false,
      lines: [],
      executionArn: `arn:${index}`,
    });
  }
  expect(many.take(failed)).toBeUndefined();
});
