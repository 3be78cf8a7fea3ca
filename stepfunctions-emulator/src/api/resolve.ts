import { systemRandom } from '../interpreter/index.ts';
import { pickVersion } from './aliases.ts';
import type { ApiContext } from './context.ts';
import { stateMachineDoesNotExist } from './errors.ts';
import type { StateMachine } from './state-machine.ts';
import type { StateMachineVersion } from './versions.ts';

/** The meaning of an ARN: the current state machine, one of its versions, or the version chosen by an alias. */
export interface Resolved {
  readonly stateMachine: StateMachine;
  readonly version?: StateMachineVersion;
  readonly aliasArn?: string;
}

/** @throws {ApiError} StateMachineDoesNotExist */
export function resolveMachine({ stateMachines, random = systemRandom }: ApiContext, arn: string): Resolved {
  const { versions, aliases } = stateMachines;
  const stateMachine = stateMachines.find(arn);
  if (stateMachine !== undefined) return { stateMachine };
  const alias = aliases.find(arn);
  const version = versions.find(alias === undefined ? arn : pickVersion(alias, random));
  if (version === undefined) throw stateMachineDoesNotExist(arn);
  return { stateMachine: version.stateMachine, version, ...(alias !== undefined && { aliasArn: arn }) };
}
