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
  return indexStatements(table, place);
}

/**
 * Permissions for finding expired items and for reading the whole index. They are one statement, because a role has little room for a
 * hundred tables.
 */
export function scanStatements(table: AccessedTable, place: Place): Statement[] {
  return indexStatements(table, place, ['dynamodb:Query', 'dynamodb:Scan']);
}

/** Permissions of the state machine that polls the seconds. By window it makes no queries by itself. */
export function pollStatements(table: AccessedTable, place: Place): Statement[] {
  return table.props.indexedBy === 'second' ? indexStatements(table, place) : [];
}

function indexStatements(
  { props, indexArn }: AccessedTable,
  place: Place,
  actions: readonly string[] = ['dynamodb:Query'],
): Statement[] {
  return [{ actions, resources: [indexArn] }, ...tableKeyStatements('read', props, place)];
}

/** Permissions for deleting expired items. */
export function deleteStatements({ props, tableArn }: AccessedTable, place: Place): Statement[] {
  return [
    // Items that a scan of the index finds are checked again, even in batch mode.
    { actions: ['dynamodb:PartiQLDelete'], resources: [tableArn] },
    { actions: ['dynamodb:BatchWriteItem'], resources: props.deleteMode === 'guarded' ? [] : [tableArn] },
    ...tableKeyStatements('write', props, place),
  ];
}
