export type { ApiContext } from './context.ts';
export { ApiError } from './errors.ts';
export { descendants, Executions, type KeptExecutions, type Runner } from './executions.ts';
export { nestedExecutions } from './nested-executions.ts';
export { ApiServer, DEFAULT_PORT, type ServerOptions } from './server.ts';
export type { StateMachine } from './state-machines.ts';
export { StateMachines } from './state-machines.ts';
