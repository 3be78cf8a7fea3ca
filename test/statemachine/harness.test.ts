import { fails, stateMachine } from 'stepfunctions-emulator/testing';
import { configOf, SESSION_DATA } from '../support/configs.ts';
import { synthesizeToFolder } from '../support/synthesized.ts';

/*
 * What stepfunctions-emulator promises for any synthesized stack, on this project's own: the definition comes out of
 * `cdktf.out`, and the functions are mocked under the names that they will have.
 */
const folder = synthesizeToFolder(configOf(SESSION_DATA));
const tick = stateMachine.fromTerraform(folder, { name: 'precise-ttl' });
const replay = stateMachine.fromTerraform(folder, { name: 'precise-ttl-replay' });
const PLAN = 'precise-ttl-plan-sweep';
const input = { scheduledTime: '2026-11-20T09:00:00Z' };

test('an idle tick plans, and ends without a transition that is billed', async () => {
  const execution = await tick.run({
    input,
    functions: { [PLAN]: { next: 'end', due: [], parts: [], sweeps: {} } },
  });
  expect(execution.assertSucceeded().output).toEqual({ tables: {} });
  expect(execution.states).toEqual(['Part?', 'PlanSweep', 'AnythingDue?', 'SweepCompleted']);
  expect(execution.billing).toMatchObject({ stateTransitions: 0, expressRequests: 1 });
  expect(execution.payloadsOf(PLAN)).toMatchObject([
    { machine: 'tick', executionInput: input, soFar: null, tables: [{ tableName: SESSION_DATA.tableName }] },
  ]);
});

test('an idle replay plans, and ends after three transitions', async () => {
  const report = { deleted: 0 };
  const span = { from: '2026-11-20T08:00:00Z', to: '2026-11-20T09:00:00Z' };
  const execution = await replay.run({ input: span, functions: { [PLAN]: { next: 'end', report } } });
  expect(execution.assertSucceeded().output).toEqual(report);
  expect(execution.states).toEqual(['PlanSweep', 'AnythingDue?', 'SweepCompleted']);
  expect(execution.billing.stateTransitions).toBe(3);
});

test('a plan that fails is tried again, and then fails the sweep', async () => {
  for (const machine of [tick, replay]) {
    const functions = { [PLAN]: fails('Lambda.TooManyRequestsException') };
    const execution = await machine.run({ input, functions });
    expect(execution.assertFailed('Lambda.TooManyRequestsException').retries.length).toBeGreaterThan(0);
  }
});

test('AnythingDue? leads where the plan says', async () => {
  const tested = await replay.testState('AnythingDue?', { input: { next: 'recordFailure', due: [] } });
  expect(tested.nextState).toBe('RecordFailure');
});
