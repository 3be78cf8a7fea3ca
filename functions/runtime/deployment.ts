import { text } from '../../expiry/fields.ts';
import { SETTING_KINDS } from './environment.ts';
import { type Environment, readVariables } from './variables.ts';

/** The environment variables of a sweep's functions: only those of the deployment, none of a single table. */
const VARIABLE_KINDS = { deploymentName: text(), journalTable: SETTING_KINDS.tableName };

export interface DeploymentVariables {
  readonly deploymentName: string;
  readonly journalTable: string;
}

/**
 * Reads the deployment's variables from the environment.
 *
 * @throws InvalidEnvironmentError
 */
export function readDeployment(env: Environment): DeploymentVariables {
  return readVariables(VARIABLE_KINDS, env);
}
