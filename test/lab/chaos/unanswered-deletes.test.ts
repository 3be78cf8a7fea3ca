import { setTimeout as sleep } from 'node:timers/promises';
import type { FunctionResult } from 'stepfunctions-emulator';
import { UnansweredDeletes } from '../../../lab/chaos/unanswered-deletes.ts';

const ANSWER: FunctionResult = { ok: true, payload: {} };
const CRASH: FunctionResult = { ok: false, errorType: 'Runtime.ExitError', errorMessage: 'killed' };

const callOf = (payload: object) => ({ functionName: 'any', functionArn: 'any', payload });
const DELETE = callOf({ chunk: { timeoutSeconds: 0.2 } });

test.each<[string, object, () => Promise<FunctionResult>, number]>([
  ['answered', DELETE, async () => ANSWER, 0],
  ['failed', DELETE, async () => CRASH, 1],
  ['took too long', DELETE, () => sleep(250, ANSWER), 1],
  ['was of another function', callOf({ progress: {} }), async () => CRASH, 0],
])('of a call that %s', async (_what, call, next, expected) => {
  const deletes = new UnansweredDeletes();
  await deletes.wrap(call as typeof DELETE, next);
  expect(deletes.count).toBe(expected);
});

test('a call that is under way has no answer', async () => {
  const deletes = new UnansweredDeletes();
  const { promise, resolve } = Promise.withResolvers<FunctionResult>();
  const call = deletes.wrap(DELETE, () => promise);
  expect(deletes.count).toBe(1);
  resolve(ANSWER);
  expect(await call).toBe(ANSWER);
  expect(deletes.count).toBe(0);
});
