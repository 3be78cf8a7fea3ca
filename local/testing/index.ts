/**
 * Runs the sweep on this computer for an application's integration tests: DynamoDB Local, the functions, the state machines and the
 * schedules.
 */

export type { DeploymentConfig } from '../../stacks/config/config.ts';
export type { PreciseTtlProps } from '../../stacks/config/props.ts';
export type { ReplayInput, SweepInput, TickInput } from '../../statemachine/contract/inputs.ts';
export type { SweepReport } from '../../statemachine/contract/report.ts';
export type {
  LocalClock,
  LocalPreciseTtl,
  PassedOnExpiry,
  TestedConfig,
  TestOptions,
} from './local-precise-ttl.ts';
export { type FailedSweep, LocalTestError, SweepFailedError } from './local-precise-ttl.ts';
export { startPreciseTtl, withPreciseTtl } from './start.ts';
