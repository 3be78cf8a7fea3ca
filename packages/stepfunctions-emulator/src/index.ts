/** AWS Step Functions on this machine: a strict interpreter of JSONata state machines, clocks, and a server of the API. */

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
