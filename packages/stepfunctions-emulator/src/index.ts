/** An emulator of AWS Step Functions: an interpreter of state machines in JSONata, a real and a virtual clock, and an API server. */

export {
  type ApiContext,
  ApiError,
  ApiServer,
  DEFAULT_PORT,
  descendants,
  Executions,
  type KeptExecutions,
  nestedExecutions,
  type Runner,
  type ServerOptions,
  type StateMachine,
  StateMachines,
} from './api/index.ts';
export { type CancelTimer, type Clock, realClock, VirtualClock } from './clock.ts';
export { EmulatorError, NotLoopbackError } from './errors.ts';
export * from './interpreter/index.ts';
