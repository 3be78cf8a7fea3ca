import { fails, stateMachine } from 'stepfunctions-emulator/testing';
import { configOf, SESSION_DATA, synthesizeToFolder } from '../support/synthesized.ts';

/*
 * What stepfunctions-emulator promises for any synthesized stack, on this project's own: the definition comes out of
 * `cdktf.out`, and the functions are mocked under the names that they will have.
 */
const sweep = stateMachine.fromTerraform(synthesizeToFolder(configOf(SESSION_DATA)));
const PLAN = 'precise-ttl-SessionData-plan-sweep';
const input = { scheduledTime: '2026-11-20T09:00:00Z' };

test('an idle sweep plans, and ends after three transitions', async () => {
  const report = { deleted: 0 };
  const execution = await sweep.run({ input, functions: { [PLAN]: { next: 'done', report } } });
  expect(execution.assertSucceeded().output).toEqual(report);
  expect(execution.states).toEqual(['PlanSweep', 'AnythingDue?', 'SweepCompleted']);
  expect(execution.billing.stateTransitions).toBe(3);
  expect(execution.payloadsOf(PLAN)).toMatchObject([{ executionInput: input, soFar: null }]);
});

test('a plan that fails is tried again, and then fails the sweep', async () => {
  const execution = await sweep.run({
    input,
    functions: { [PLAN]: fails('Lambda.TooManyRequestsException') },
  });
  expect(execution.assertFailed('Lambda.TooManyRequestsException').retries.length).toBeGreaterThan(0);
});

test('AnythingDue? leads where the plan says', async () => {
  const tested = await sweep.testState('AnythingDue?', { input: { next: 'recordFailure', due: [] } });
  expect(tested.nextState).toBe('RecordFailure');
});
