/** A strict interpreter of the JSONata dialect of the Amazon States Language. */

export {
  type BillingCounters,
  type DynamoDbUsage,
  EXPRESS_DURATION_STEP_MS,
  EXPRESS_MEMORY_STEP_MB,
} from './billing.ts';
export type { Definition, WorkflowType } from './definition.ts';
export { Engine, type EngineOptions, InvalidStartError, type Machine, type StartOptions } from './engine.ts';
export { Execution, NotRedrivableError } from './execution.ts';
export type { EventDetails, HistoryEvent } from './history.ts';
export type { FunctionInvoker, FunctionResult, InvokeOptions } from './invoker.ts';
export type { Json, JsonObject } from './json.ts';
export { AWS_LIMITS, type Limits } from './limits.ts';
export { loadDefinition } from './load.ts';
export { MapRun, type MapRunCounts } from './map-run.ts';
export { ALLOWED_NAME, isAllowedName } from './names.ts';
export { type DefinitionProblem, InvalidDefinitionError } from './problems.ts';
export { type RandomSource, seededRandom, systemRandom } from './random.ts';
export type { ExecutionStatus, MachineIdentity } from './run.ts';
