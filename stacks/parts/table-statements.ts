import type { ResolvedProps } from '../../config/props.ts';
import type { Place } from './place.ts';
import type { Statement } from './role-policies.ts';
import { tableKeyStatements } from './table-key.ts';

/** The data on a table that roles need. */
export interface AccessedTable {
  readonly props: Pick<ResolvedProps, 'deleteMode' | 'indexedBy' | 'tableKmsKeyArn'>;
  readonly tableArn: string;
  readonly indexArn: string;
}

/** Permissions for finding expired items. */
export function queryStatements(table: AccessedTable, place: Place): Statement[] {
  const { props, indexArn } = table;
  return [
    { actions: ['dynamodb:Query'], resources: [indexArn] },
    ...tableKeyStatements('read', props, place),
  ];
}

/** Permissions of the state machine that polls the seconds. By window it makes no queries by itself. */
export function pollStatements(table: AccessedTable, place: Place): Statement[] {
  return table.props.indexedBy === 'second' ? queryStatements(table, place) : [];
}

/** Permissions for deleting expired items. */
export function deleteStatements({ props, tableArn }: AccessedTable, place: Place): Statement[] {
  return [
    {
      actions: [props.deleteMode === 'guarded' ? 'dynamodb:PartiQLDelete' : 'dynamodb:BatchWriteItem'],
      resources: [tableArn],
    },
    ...tableKeyStatements('write', props, place),
  ];
}
