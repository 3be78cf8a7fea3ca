import type { DeploymentConfig } from '../../stacks/config/config.ts';
import type { PreciseTtlProps } from '../../stacks/config/props.ts';

/** The table that the shipped configuration has. */
export const SESSION_DATA: PreciseTtlProps = {
  tableName: 'SessionData',
  partitionKey: 'UserName',
  sortKey: 'SessionId',
  ttlAttribute: 'ExpirationTime',
};

export function configOf(...tables: PreciseTtlProps[]): DeploymentConfig {
  return { region: 'us-east-1', tables };
}
