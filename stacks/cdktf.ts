/** The module `precise-ttl/cdktf`: constructs for a user's own CDKTF stacks. `precise-ttl/cdktn` is the same for CDK Terrain. */

export { PreciseTtlError } from '../expiry/errors.ts';
export { PreciseTtlStack } from './app.ts';
export type { AlarmName } from './config/alarms.ts';
export {
  type DeploymentConfig,
  defineConfig,
  InvalidConfigError,
  type Overrides,
  type State,
} from './config/config.ts';
export type { ArchiveProp, EventsProp } from './config/pipe-props.ts';
export type { PreciseTtlProps, ResolvedProps } from './config/props.ts';
export type { TableReference } from './parts/swept-table.ts';
export type { ConstructProps, SweptTableProps } from './precise-ttl.ts';
export { PreciseTtl } from './precise-ttl.ts';
