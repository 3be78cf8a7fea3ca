import { InvalidDefinitionError } from '../../src/interpreter/index.ts';
import { available, type Behaviour, cases, judge, type RecordedCase } from '../support/recorded-cases.ts';
import { eventTypes, run, type TestFunction } from './run-definition.ts';

class PythonError extends Error {
  constructor(name: string) {
    super('Some exception was raised.');
    this.name = name;
  }
}

const BEHAVIOURS: Record<Behaviour, TestFunction> = {
  echo: event => event,
  raise: () => {
    throw new PythonError('Exception');
  },
  'raise-custom': () => {
    throw new PythonError('CustomException');
  },
  hang: (_event, clock) => clock.sleep(60_000),
  'large-output': () => 'a'.repeat(257 * 1024),
  bytes: () => new Uint8Array([1, 2, 3]),
};

async function runCase(recorded: RecordedCase) {
  const functions = Object.fromEntries(
    Object.entries(recorded.functions).map(([name, behaviour]) => [name, BEHAVIOURS[behaviour]]),
  );
  const execution = await run(JSON.stringify(recorded.definition), { input: recorded.input, functions });
  const { status, output, error, cause } = execution;
  return { status, output, error, cause, events: eventTypes(execution) };
}

(available ? describe : describe.skip)('executions recorded on AWS', () => {
  const totals = { cases: cases.length, outcomes: 0, causes: 0, events: 0, silentlyWrong: 0 };

  test.each(cases.map(one => [one.name, one] as const))('%s', async (_name, recorded) => {
    const got = await runCase(recorded);
    const verdict = judge(recorded, got);
    totals.outcomes += Number(verdict.outcome);
    totals.causes += Number(verdict.cause);
    totals.events += Number(verdict.events);
    totals.silentlyWrong += Number(verdict.silentlyWrong);
    if (!verdict.outcome || !verdict.cause) expect(got).toEqual(recorded.expected);
    expect(got.events).toEqual(recorded.expected.events);
  });

  test('are all reproduced', () => {
    console.info(
      `conformance: ${totals.outcomes}/${totals.cases} statuses, outputs and errors; ${totals.causes}/${totals.cases} causes; ${totals.events}/${totals.cases} event sequences; ${totals.silentlyWrong} succeeded but wrong`,
    );
    expect(totals).toEqual({
      cases: totals.cases,
      outcomes: totals.cases,
      causes: totals.cases,
      events: totals.cases,
      silentlyWrong: 0,
    });
  });
});

test('a definition in JSONPath is refused, not run', async () => {
  const definition = { StartAt: 'A', States: { A: { Type: 'Pass', End: true } } };
  await expect(async () => run(definition)).rejects.toThrow(InvalidDefinitionError);
});
