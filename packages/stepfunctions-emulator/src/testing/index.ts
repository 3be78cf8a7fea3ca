/** A test harness for state machines, with mocked functions and a virtual clock. The harness works in any test framework. */

export { type Clock, realClock, VirtualClock } from '../clock.ts';
export { EmulatorError } from '../errors.ts';
export {
  type HistoryEvent,
  InvalidDefinitionError,
  InvalidStartError,
  type Json,
  type RetryNotice,
} from '../interpreter/index.ts';
export { functionArn } from '../made-up.ts';
export { HarnessError, MissingMockError, UnexpectedStatusError } from './errors.ts';
export type { ExecutionResult, WaitRecord } from './execution-result.ts';
export {
  type Answer,
  type Call,
  fails,
  type Mock,
  type MockFunction,
  type MockStep,
  type Mocks,
  takes,
} from './mock.ts';
export type { FunctionCall } from './mocked-functions.ts';
export {
  type MachineOptions,
  type RunningExecution,
  type RunOptions,
  stateMachine,
  type TestedStateMachine,
} from './state-machine.ts';
export type { Visit } from './visits.ts';
