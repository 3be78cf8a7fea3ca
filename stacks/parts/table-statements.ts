import type { ResolvedProps } from '../../config/props.ts';
import { escaped } from '../../config/terraform-text.ts';
import type { Place } from './place.ts';
import type { Statement } from './role-policies.ts';
import { tableKeyStatements } from './table-key.ts';

/** The data on a table that roles need. */
export interface AccessedTable {
  readonly props: Pick<
    ResolvedProps,
    'deleteMode' | 'holdAttribute' | 'indexedBy' | 'partitionKey' | 'sortKey' | 'tableKmsKeyArn'
  >;
  readonly tableArn: string;
  readonly indexArn: string;
}

/** Permissions for finding expired items. */
export function queryStatements(table: AccessedTable, place: Place): Statement[] {
  return [...indexStatements(table, place), heldStatement(table)];
}

/**
 * Permissions for finding expired items and for reading the whole index. They are one statement, because a role has little room for a
 * hundred tables.
 */
export function scanStatements(table: AccessedTable, place: Place): Statement[] {
  return [...indexStatements(table, place, ['dynamodb:Query', 'dynamodb:Scan']), heldStatement(table)];
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

/**
 * Permission to read whether items are held, which the index does not contain: the roles may read only the keys and the hold attribute of
 * the items. Source: DynamoDB Developer Guide, "Using IAM policy conditions for fine-grained access control".
 */
function heldStatement({ props, tableArn }: AccessedTable): Statement {
  const { holdAttribute, partitionKey, sortKey } = props;
  return {
    actions: ['dynamodb:BatchGetItem'],
    resources: holdAttribute === undefined ? [] : [tableArn],
    condition: {
      'ForAllValues:StringEquals': {
        'dynamodb:Attributes': [partitionKey, sortKey, holdAttribute].flatMap(name =>
          name === undefined ? [] : [escaped(name)],
        ),
      },
      StringEqualsIfExists: { 'dynamodb:Select': 'SPECIFIC_ATTRIBUTES' },
    },
  };
}
