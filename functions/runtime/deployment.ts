import { text } from '../../expiry/fields.ts';
import { type Environment, readVariables } from './variables.ts';

/** The environment variables of the functions of a sweep: what is the deployment's, and none of its tables' alone. */
export const DEPLOYMENT_KINDS = {
  deploymentName: text(),
  journalTable: text(/^[A-Za-z0-9_.-]{3,255}$/, 'a table name: 3 to 255 letters, digits, `_`, `-` and `.`'),
};

/** @throws InvalidEnvironmentError */
export function readDeploymentName(env: Environment): string {
  const { deploymentName } = readVariables({ deploymentName: DEPLOYMENT_KINDS.deploymentName }, env);
  return deploymentName ?? '';
}

/** @throws InvalidEnvironmentError */
export function readJournalTable(env: Environment): string {
  const { journalTable } = readVariables({ journalTable: DEPLOYMENT_KINDS.journalTable }, env);
  return journalTable ?? '';
}
