/**
 * A strict interpreter of the JSONata dialect of the Amazon States Language: `load/` reads a definition and reports its problems, `run/`
 * runs the loaded definition.
 */

export { ALLOWED_NAME, isAllowedName } from './arn.ts';
export { type BillingCounters, type ExpressBill, expressBill } from './billing.ts';
export { Engine, type EngineOptions, InvalidStartError, type Machine, type StartOptions } from './engine.ts';
export { Execution } from './execution.ts';
export type { Json, JsonObject } from './json.ts';
export { AWS_LIMITS, type Limits, type WorkflowType } from './limits.ts';
export { type Definition, loadDefinition } from './load/definition.ts';
export { type DefinitionProblem, InvalidDefinitionError } from './load/problems.ts';
export { MapRun, type MapRunCounts } from './map/map-run.ts';
export { type RandomSource, seededRandom, systemRandom } from './random.ts';
export type { ExecutionStatus, MachineIdentity } from './run/child.ts';
export type { EventDetails, HistoryEvent } from './run/history.ts';
export type { RetryNotice } from './run/run.ts';
export type { CallSite, FunctionInvoker, FunctionResult, InvokeOptions } from './task/invoker.ts';
