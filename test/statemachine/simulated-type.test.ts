import { loadDefinition } from 'stepfunctions-emulator';
import { Simulation } from '../support/simulation/simulation.ts';

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;
/** Plans a sweep, and waits. */
const definition = loadDefinition({
  QueryLanguage: 'JSONata',
  StartAt: 'Plan',
  States: {
    Plan: {
      Type: 'Task',
      Resource: 'arn:aws:lambda:us-east-1:123456789012:function:plan-sweep',
      Arguments: {
        executionInput: '{% $states.input %}',
        startedAt: '{% $states.context.Execution.StartTime %}',
        soFar: null,
      },
      Next: 'Wait',
    },
    Wait: { Type: 'Wait', Seconds: 20, End: true },
  },
});

test.each([
  ['STANDARD', { stateTransitions: 2, expressRequests: 0 }, 1],
  ['EXPRESS', { stateTransitions: 0, expressRequests: 2 }, 2],
] as const)(
  'a tick of a %s state machine is billed as %j, and doubled by Express only',
  async (type, billing, runs) => {
    const simulation = new Simulation({
      start: START,
      definition,
      type,
      expressDeliveries: () => [0, 12_000],
    });
    simulation.tick(START);
    await simulation.finish();
    expect(simulation.executions.map(({ status, machine }) => [status, machine.type])).toEqual(
      Array.from({ length: runs }, () => ['SUCCEEDED', type]),
    );
    expect(simulation.calls['plan-sweep']).toBe(runs);
    expect(simulation.billing).toMatchObject({ ...billing, functionInvocations: runs });
  },
);
