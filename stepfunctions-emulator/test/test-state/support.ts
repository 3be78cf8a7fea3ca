import { VirtualClock } from '../../src/clock.ts';
import type { FunctionInvoker } from '../../src/interpreter/index.ts';
import { StateTester, type TestStateRequest, type TestStateResult } from '../../src/test-state/index.ts';

export const PLACE = { account: '123456789012', region: 'us-east-1', partition: 'aws' };
export const ROLE_ARN = `arn:aws:iam::${PLACE.account}:role/test`;

export const LAMBDA_INVOKE = 'arn:aws:states:::lambda:invoke';
export const FUNCTION_ARN = `arn:aws:lambda:us-east-1:${PLACE.account}:function:f`;

/** One state in JSONata that ends its state machine. */
export const stateOf = (type: string, fields: object = {}): object => ({
  QueryLanguage: 'JSONata',
  Type: type,
  ...(type !== 'Choice' && type !== 'Succeed' && type !== 'Fail' && { End: true }),
  ...fields,
});

const NO_FUNCTIONS: FunctionInvoker = {
  async invoke(arn) {
    throw new Error(`no function ${arn} in this test`);
  },
};

/** Tests a state on a virtual clock. */
export const testState = (
  request: TestStateRequest,
  invoker: FunctionInvoker = NO_FUNCTIONS,
  clock = new VirtualClock(),
): Promise<TestStateResult> => new StateTester({ ...PLACE, invoker, clock }).test(request);

/** The data that a test shows at the level DEBUG. */
export const inspect = (request: TestStateRequest, invoker?: FunctionInvoker): Promise<TestStateResult> =>
  testState({ inspectionLevel: 'DEBUG', ...request }, invoker);
