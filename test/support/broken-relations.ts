import type { PreciseTtlProps, PropName } from '../../config/props.ts';

interface BrokenRelation {
  readonly field: PropName;
  readonly props: Omit<PreciseTtlProps, 'tableName'>;
}

const id = { partitionKey: 'id' };

/** For each of the relations between props, in their order: a table that breaks it and no other one. */
export const BROKEN_RELATIONS: readonly BrokenRelation[] = [
  { field: 'maxDeletesPerSecond', props: { ...id, index: { shards: 2 }, maxDeletesPerSecond: 2001 } },
  { field: 'pollSeconds', props: { ...id, precision: 'minute', pollSeconds: 5 } },
  { field: 'partitionKey', props: { partitionKey: '{% id' } },
  { field: 'sortKey', props: { ...id, sortKey: 'at %}' } },
  { field: 'ttlAttribute', props: { ...id, ttlAttribute: '{% ttl %}' } },
  { field: 'windowAttribute', props: { ...id, index: { attribute: '{%' } } },
];
