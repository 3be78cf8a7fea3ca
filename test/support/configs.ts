import type { DeploymentConfig } from '../../config/config.ts';
import type { PreciseTtlProps, PropName } from '../../config/props.ts';

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

interface BrokenRelation {
  readonly field: PropName;
  readonly props: Omit<PreciseTtlProps, 'tableName'>;
}

const id = { partitionKey: 'id' };

/** For each of the relations between props, in their order: a table that breaks it and no other one. */
export const BROKEN_RELATIONS: readonly BrokenRelation[] = [
  { field: 'maxDeletesPerSecond', props: { ...id, index: { shards: 2 }, maxDeletesPerSecond: 2001 } },
  { field: 'pollSeconds', props: { ...id, precisionSeconds: 5, pollSeconds: 2 } },
  { field: 'pollSeconds', props: { ...id, index: { by: 'second' }, precisionSeconds: 2, pollSeconds: 5 } },
  { field: 'pollSeconds', props: { ...id, precisionSeconds: 60, pollSeconds: 60 } },
  { field: 'partitionKey', props: { partitionKey: '{% id' } },
  { field: 'sortKey', props: { ...id, sortKey: 'at %}' } },
  { field: 'ttlAttribute', props: { ...id, ttlAttribute: '{% ttl %}' } },
  { field: 'windowAttribute', props: { ...id, index: { attribute: '{%' } } },
];
