import { arnOf, machineOf, outcome, run } from './run-definition.ts';

const end = (output: unknown) => ({ Type: 'Pass', Output: output, End: true });

test('assignments are made together, from the values on entry, and Output does not see them', async () => {
  const definition = machineOf({
    A: { Type: 'Pass', Assign: { x: 3, a: 6 }, Next: 'B' },
    B: { Type: 'Pass', Assign: { x: '{% $a %}', nextX: '{% $x %}' }, Output: '{% $x %}', Next: 'C' },
    C: end('{% [$states.input, $x, $nextX] %}'),
  });
  expect((await run(definition)).output).toEqual([3, 6, 3]);
});

test('every kind of state that assigns does', async () => {
  const inner = (name: string) => ({ StartAt: name, States: { [name]: { Type: 'Pass', End: true } } });
  const definition = machineOf({
    P: { Type: 'Pass', Assign: { p: 1 }, Next: 'W' },
    W: { Type: 'Wait', Seconds: 0, Assign: { w: 2 }, Next: 'T' },
    T: { Type: 'Task', Resource: arnOf('f'), Assign: { t: '{% $states.result %}' }, Next: 'M' },
    M: {
      Type: 'Map',
      Items: [4],
      ItemProcessor: inner('MI'),
      Assign: { m: '{% $states.result[0] %}' },
      Next: 'L',
    },
    L: {
      Type: 'Parallel',
      Arguments: 5,
      Branches: [inner('LI')],
      Assign: { l: '{% $states.result[0] %}' },
      Next: 'C',
    },
    C: {
      Type: 'Choice',
      Choices: [{ Condition: true, Assign: { c: 6 }, Next: 'End' }],
      Assign: { c: 'default' },
      Default: 'End',
    },
    End: end('{% [$p, $w, $t, $m, $l, $c] %}'),
  });
  expect((await run(definition, { functions: { f: () => 3 } })).output).toEqual([1, 2, 3, 4, 5, 6]);
});

test('a Choice takes the Output and Assign of the rule, or its own for the default', async () => {
  const definition = machineOf({
    C: {
      Type: 'Choice',
      Choices: [{ Condition: '{% $states.input = 1 %}', Output: 'rule', Assign: { v: 'rule' }, Next: 'End' }],
      Output: 'default',
      Assign: { v: 'default' },
      Default: 'End',
    },
    End: end('{% [$states.input, $v] %}'),
  });
  expect((await run(definition, { input: 1 })).output).toEqual(['rule', 'rule']);
  expect((await run(definition, { input: 2 })).output).toEqual(['default', 'default']);
});

test('branches and iterations read outer variables, and keep theirs to themselves', async () => {
  const definition = machineOf({
    A: { Type: 'Pass', Assign: { outer: 10 }, Next: 'M' },
    M: {
      Type: 'Map',
      Items: [1, 2],
      ItemProcessor: {
        StartAt: 'I',
        States: {
          I: { Type: 'Pass', Assign: { inner: '{% $states.input %}' }, Next: 'J' },
          J: end('{% $outer + $inner %}'),
        },
      },
      Next: 'B',
    },
    B: end('{% {"sums": $states.input, "leaked": $exists($inner)} %}'),
  });
  expect((await run(definition)).output).toEqual({ sums: [11, 12], leaked: false });
});

test('a loop counts with a variable', async () => {
  const definition = machineOf({
    A: { Type: 'Pass', Assign: { n: 0 }, Next: 'B' },
    B: { Type: 'Pass', Assign: { n: '{% $n + 1 %}' }, Next: 'C' },
    C: { Type: 'Choice', Choices: [{ Condition: '{% $n < 5 %}', Next: 'B' }], Default: 'D' },
    D: end('{% $n %}'),
  });
  expect((await run(definition)).output).toBe(5);
});

test('shows assignments in the event that leaves the state', async () => {
  const execution = await run(machineOf({ A: { Type: 'Pass', Assign: { x: { a: 1 }, y: 'z' }, End: true } }));
  expect(execution.history[2]).toMatchObject({
    stateExitedEventDetails: {
      assignedVariables: { x: '{"a":1}', y: '"z"' },
      assignedVariablesDetails: { truncated: false },
    },
  });
});

test('an empty Assign is not shown in the event', async () => {
  const execution = await run(machineOf({ A: { Type: 'Pass', Assign: {}, End: true } }));
  expect(execution.history[2]).toMatchObject({ type: 'PassStateExited' });
  expect(execution.history[2]?.['stateExitedEventDetails']).not.toHaveProperty('assignedVariables');
  expect(execution.history[2]?.['stateExitedEventDetails']).not.toHaveProperty('assignedVariablesDetails');
});

test.each([
  ['one variable of 256 KiB passes', ['262142'], undefined],
  ['one byte more does not', ['262143'], 'States.DataLimitExceeded'],
  ['nor do two that are too big together', ['200000', '200000'], 'States.DataLimitExceeded'],
])('%s', async (_name, sizes, error) => {
  const assign = Object.fromEntries(sizes.map((size, i) => [`v${i}`, `{% $pad("", ${size}, "x") %}`]));
  expect((await run(machineOf({ A: { Type: 'Pass', Assign: assign, End: true } }))).error).toBe(error);
});

test('fails when all variables together exceed 10 MiB, but not for assigning one again and again', async () => {
  const assigning = (name: string) => ({ Type: 'Pass', Assign: { [name]: '{% $pad("", 250000, "x") %}' } });
  const chain = (names: readonly string[]) =>
    machineOf({
      ...Object.fromEntries(
        names.map((name, i) => [
          `S${i}`,
          { ...assigning(name), Next: i + 1 < names.length ? `S${i + 1}` : 'E' },
        ]),
      ),
      E: { Type: 'Succeed' },
    });
  const names = Array.from({ length: 45 }, (_, i) => `v${i}`);
  expect(outcome(await run(chain(names)))).toEqual({ status: 'FAILED', error: 'States.DataLimitExceeded' });
  expect((await run(chain(names.map(() => 'v')))).status).toBe('SUCCEEDED');
});
