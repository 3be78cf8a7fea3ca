import { fails, stateMachine, type TestedStateMachine } from 'stepfunctions-emulator/testing';
import { synthesizedCloud } from '../../local/stack/synthesized.ts';
import { plainStack } from '../../stacks/plain-stack.ts';
import { configOf, SESSION_DATA } from '../support/configs.ts';

/* The definitions as they are synthesized, with the functions mocked under the names that they will have. */
const { stateMachines } = synthesizedCloud(plainStack(configOf(SESSION_DATA)));
const [tick, replay] = ['precise-ttl', 'precise-ttl-replay'].map(wanted => {
  const found = stateMachines.find(({ name }) => name === wanted);
  if (found === undefined) throw new Error(`no state machine ${wanted}`);
  return stateMachine.from(found.definition, { type: found.type });
}) as [TestedStateMachine, TestedStateMachine];
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
