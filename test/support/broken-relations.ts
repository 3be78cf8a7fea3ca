import type { PreciseTtlProps, PropName } from '../../config/props.ts';

interface BrokenRelation {
  readonly field: PropName;
  readonly props: Omit<PreciseTtlProps, 'tableName'>;
}

const id = { partitionKey: 'id' };

/** For each of the relations between props, in their order: a table that breaks it and no other one. */
export const BROKEN_RELATIONS: readonly BrokenRelation[] = [
  { field: 'lookbackMinutes', props: { ...id, granularityMinutes: 1, shards: 1000, lookbackMinutes: 60 } },
  { field: 'maxDeletesPerSecond', props: { ...id, shards: 2, maxDeletesPerSecond: 2001 } },
  { field: 'backoffCapSeconds', props: { ...id, backoffBaseSeconds: 10, backoffCapSeconds: 5 } },
  { field: 'pollSeconds', props: { ...id, precisionSeconds: 5, pollSeconds: 2 } },
  { field: 'pollSeconds', props: { ...id, indexedBy: 'second', precisionSeconds: 2, pollSeconds: 5 } },
  { field: 'pollSeconds', props: { ...id, precisionSeconds: 60, pollSeconds: 60 } },
  { field: 'backfill', props: { ...id, indexedBy: 'second', backfill: true } },
  { field: 'archiveFirst', props: { ...id, archiveFirst: true } },
  { field: 'archiveFirst', props: { ...id, archive: {}, archiveFirst: true, deleteMode: 'batch' } },
  { field: 'holdAttribute', props: { ...id, holdAttribute: 'held', deleteMode: 'batch' } },
  { field: 'holdAttribute', props: { ...id, holdAttribute: 'id' } },
  { field: 'holdAttribute', props: { ...id, sortKey: 'at', holdAttribute: 'at' } },
  { field: 'holdAttribute', props: { ...id, holdAttribute: 'ttl' } },
  { field: 'holdAttribute', props: { ...id, holdAttribute: 'expirationWindow' } },
  { field: 'partitionKey', props: { partitionKey: '{% id' } },
  { field: 'sortKey', props: { ...id, sortKey: 'at %}' } },
  { field: 'ttlAttribute', props: { ...id, ttlAttribute: '{% ttl %}' } },
  { field: 'windowAttribute', props: { ...id, windowAttribute: '{%' } },
  { field: 'holdAttribute', props: { ...id, holdAttribute: '%}' } },
];
