/** Tests of single states, as TestState of the API runs them. */

export { InvalidTestStateError } from './errors.ts';
export type {
  FieldValidationMode,
  InspectionData,
  InspectionLevel,
  TestStateConfiguration,
  TestStateErrorDetails,
  TestStateMock,
  TestStateRequest,
  TestStateResult,
  TestStateStatus,
} from './request.ts';
export { StateTester, type TestPlace } from './tester.ts';
