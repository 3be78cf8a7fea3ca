import { seededRandom } from '../interpreter/index.ts';
import { PLACE, ROLE_ARN } from '../made-up.ts';
import { StateTester, type TestStateRequest, type TestStateResult } from '../test-state/index.ts';
import { type ClockOptions, clockFor } from './clocks.ts';
import type { Mocks } from './mock.ts';
import { type FunctionCall, MockedFunctions } from './mocked-functions.ts';

export interface StateTestOptions extends ClockOptions, Omit<TestStateRequest, 'definition'> {
  /** Functions that a Task without a `mock` calls. */
  readonly functions?: Mocks;
  /** @default 1 */
  readonly seed?: number;
}

/** The result of a tested state, and the calls of functions that it made. */
export interface TestedState extends TestStateResult {
  readonly calls: readonly FunctionCall[];
}

/**
 * Tests one state, as TestState of the API does, with values instead of JSON texts. The inspection data is returned unless
 * `inspectionLevel` is INFO.
 * @param definition of a state, or of a state machine together with `stateName`: an object, or its JSON text
 * @throws {MissingMockError} when a Task has no `mock` and its function none in `functions`
 * @throws {InvalidDefinitionError}
 * @throws {InvalidTestStateError} for what TestState refuses
 */
export async function testState(
  definition: string | object,
  options: StateTestOptions = {},
): Promise<TestedState> {
  const { functions = {}, seed = 1, clock: _clock, startTime: _startTime, ...request } = options;
  const clock = clockFor(options);
  const invoker = new MockedFunctions(functions, clock, () => {});
  const tester = new StateTester({
    ...PLACE,
    clock,
    invoker,
    resources: invoker,
    isMocked: () => true,
    random: seededRandom(seed),
  });
  const result = await tester.test({ inspectionLevel: 'DEBUG', roleArn: ROLE_ARN, ...request, definition });
  if (invoker.problem !== undefined) throw invoker.problem;
  return { ...result, calls: invoker.calls };
}
