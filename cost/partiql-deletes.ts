import { type AttributeMap, itemBytes, writeUnits } from './item-size.ts';

/** The fields of a table's description that determine the units of a delete. */
export interface TableDescription {
  readonly KeySchema?: readonly { readonly AttributeName: string }[];
  readonly GlobalSecondaryIndexes?: readonly Index[];
  readonly LocalSecondaryIndexes?: readonly Index[];
}

interface Index {
  readonly KeySchema: readonly { readonly AttributeName: string }[];
  readonly Projection: { readonly ProjectionType?: string; readonly NonKeyAttributes?: readonly string[] };
}

export interface StatementResponse {
  readonly Item?: AttributeMap;
  readonly Error?: { readonly Code?: string };
}

/** The table of a DELETE; undefined for any other statement. */
export function tableOfDelete(statement: string): string | undefined {
  return /^\s*delete\s+from\s+"?([\w.-]+)"?/i.exec(statement)?.[1];
}

/**
 * Write units of one DELETE with `RETURNING ALL OLD *`, because DynamoDB Local does not report the units of PartiQL batches. By DynamoDB's
 * rules they are the item's size in kilobytes and the same for its entry in every index that held it. If the item was missing, or its
 * condition failed, one unit; AWS bills the size of the item that failed the condition, which is not known here.
 */
export function unitsOfDelete(response: StatementResponse, table: TableDescription): number {
  const { Item: item, Error: error } = response;
  if (error !== undefined) return error.Code === 'ConditionalCheckFailed' ? 1 : 0;
  if (item === undefined) return 1;
  const indexes = [...(table.GlobalSecondaryIndexes ?? []), ...(table.LocalSecondaryIndexes ?? [])];
  return indexes
    .filter(({ KeySchema }) => KeySchema.every(({ AttributeName }) => AttributeName in item))
    .reduce(
      (units, index) => units + writeUnits(itemBytes(entryOf(item, index, table))),
      writeUnits(itemBytes(item)),
    );
}

function entryOf(
  item: AttributeMap,
  { KeySchema, Projection }: Index,
  table: TableDescription,
): AttributeMap {
  if (Projection.ProjectionType === 'ALL') return item;
  const names = new Set([
    ...KeySchema.map(key => key.AttributeName),
    ...(table.KeySchema ?? []).map(key => key.AttributeName),
    ...(Projection.NonKeyAttributes ?? []),
  ]);
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.has(name)));
}
