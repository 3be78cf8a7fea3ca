import { arnOf, machineOf, outcome, run } from './run-definition.ts';

/**
 * The Developer Guide, "Error names": States.DataLimitExceeded is reported when the output of a connector, the output of a state, or the
 * input of a state after Arguments is larger than the quota of a payload. It is terminal, and States.ALL does not catch it.
 */
const BIG = '{% $pad("", 300000, "x") %}';
const end = { End: true };
const pass = { Type: 'Pass', ...end };
const half = { Type: 'Pass', Output: '{% $pad("", 200000, "x") %}', ...end };
const task = { Type: 'Task', Resource: arnOf('f'), ...end };
const mapOf = (inner: object, rest: object = {}, name = 'I') => ({
  Type: 'Map',
  Items: [1, 2],
  ItemProcessor: { StartAt: name, States: { [name]: inner } },
  ...end,
  ...rest,
});
const choice = (rule: object, rest: object = {}) => ({
  Type: 'Choice',
  Choices: [{ Condition: '{% $states.input.go = true %}', Next: 'Next', ...rule }],
  Default: 'Next',
  ...rest,
});
const TOO_BIG = { status: 'FAILED', error: 'States.DataLimitExceeded' };

describe.each(['STANDARD', 'EXPRESS'] as const)('in a %s execution', type => {
  test.each([
    ['the output of a Pass', { A: { ...pass, Output: BIG } }],
    ['the output of a Wait', { A: { Type: 'Wait', Seconds: 1, Output: BIG, ...end } }],
    ['the output of a Succeed', { A: { Type: 'Succeed', Output: BIG } }],
    ['the output of a rule of a Choice', { A: choice({ Output: BIG }), Next: pass }],
    [
      'the output of a Choice without a match',
      { A: choice({ Condition: false }, { Output: BIG }), Next: pass },
    ],
    ['a variable', { A: { ...pass, Assign: { v: BIG } } }],
    ['a variable of a rule of a Choice', { A: choice({ Assign: { v: BIG } }), Next: pass }],
    ['the Arguments of a Task', { A: { ...task, Arguments: BIG } }],
    ['the result of a Task', { A: { ...task, Arguments: 'big' } }],
    ['the output of a Task', { A: { ...task, Output: BIG } }],
    ['the input of an iteration', { A: mapOf(pass, { ItemSelector: BIG }) }],
    ['the output inside of an iteration', { A: mapOf({ ...pass, Output: BIG }) }],
    ['the result of a Map', { A: mapOf(half) }],
    ['the output of a Map', { A: mapOf(pass, { Output: BIG }) }],
    ['the result of a Map in a Map', { A: mapOf(mapOf(half), {}, 'O') }],
    ['the result of a Parallel', { A: { Type: 'Parallel', Branches: ['B', 'C'].map(branchOf), ...end } }],
    [
      'the output of a Catch',
      {
        A: { ...task, Arguments: 'fail', Catch: [{ ErrorEquals: ['E'], Output: BIG, Next: 'Next' }] },
        Next: pass,
      },
    ],
  ] as [string, Record<string, object>][])('%s of more than 256 KiB ends it', async (_what, states) => {
    expect(outcome(await run(machineOf(states), { type, input: { go: true }, functions: { f } }))).toEqual(
      TOO_BIG,
    );
  });
});

function branchOf(name: string): object {
  return { StartAt: name, States: { [name]: half } };
}

function f(event: unknown): unknown {
  if (event === 'fail') throw Object.assign(new Error('no'), { name: 'E' });
  return event === 'big' ? 'x'.repeat(300_000) : event;
}

/** An error without a Catch of its own ends the Map around it; whether that may go on depends on the name in its Catch. */
describe('a Map around it', () => {
  const caught = (inner: object, ErrorEquals: readonly string[]) =>
    machineOf({
      M: mapOf(inner, {
        Catch: [{ ErrorEquals, Output: '{% $states.errorOutput.Error %}', Next: 'Caught' }],
      }),
      Caught: pass,
    });
  const inIteration: [string, object][] = [
    ['the output of a Choice', choiceThenPass()],
    ['the output of a Pass', { ...pass, Output: BIG }],
    ['the result of a Task', { ...task, Arguments: 'big' }],
    ['the result of an inner Map', mapOf(half, {}, 'J')],
  ];

  test.each(inIteration)('catches %s by its name', async (_what, inner) => {
    const execution = await run(caught(inner, ['States.DataLimitExceeded']), { functions: { f } });
    expect(outcome(execution)).toEqual({ status: 'SUCCEEDED', output: 'States.DataLimitExceeded' });
  });

  test.each(inIteration)('does not catch %s by States.ALL', async (_what, inner) => {
    expect(outcome(await run(caught(inner, ['States.ALL']), { functions: { f } }))).toEqual(TOO_BIG);
  });

  function choiceThenPass(): object {
    return {
      Type: 'Map',
      Items: [1],
      ItemProcessor: { StartAt: 'C', States: { C: choice({}, { Output: BIG }), Next: pass } },
      ...end,
    };
  }
});

test('the result of a Task in an iteration that catches it does not take the other iterations with it', async () => {
  const guarded = {
    ...task,
    Catch: [{ ErrorEquals: ['States.DataLimitExceeded'], Output: 'too big', Next: 'Next' }],
  };
  const map = {
    Type: 'Map',
    Items: ['big', 'small'],
    ItemProcessor: { StartAt: 'I', States: { I: guarded, Next: pass } },
    ...end,
  };
  const execution = await run(machineOf({ M: map }), { type: 'EXPRESS', functions: { f } });
  expect(execution.output).toEqual(['too big', 'small']);
});
