/** An emulator of AWS Step Functions: a strict interpreter of state machines in JSONata, clocks, and a server of the API. */

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
