import type { SweepSettings } from '../runtime/environment.ts';
import { keyAttributeNames } from '../table/item-key.ts';

/** The table's settings for a guarded delete. */
export type GuardSettings = Pick<SweepSettings, 'tableName' | 'model' | 'holdAttribute'>;

/** The condition of every guarded delete of a table. Its parameters: the values of the key, the latest TTL, and the TTL that is too old. */
export interface GuardedDelete {
  readonly statement: string;
  readonly conditions: readonly string[];
}

/**
 * Makes the statement, for example `DELETE FROM "t" WHERE "pk" = ? AND "sk" = ? AND "ttl" <= ? AND "ttl" > ? AND "hold" IS MISSING
 * RETURNING ALL OLD *`. An attribute with the value NULL is not missing. Source: DynamoDB Developer Guide, "Use PartiQL functions with
 * DynamoDB", MISSING.
 * @param more further conditions, whose parameters follow those of the others
 */
export function guardedDelete(
  { tableName, model, holdAttribute }: GuardSettings,
  more: readonly string[] = [],
): GuardedDelete {
  const ttl = quote(model.ttlAttribute);
  const conditions = [
    ...keyAttributeNames(model).map(equals),
    `${ttl} <= ?`,
    `${ttl} > ?`,
    ...(holdAttribute === undefined ? [] : [`${quote(holdAttribute)} IS MISSING`]),
    ...more,
  ];
  const where = conditions.join(' AND ');
  return { statement: `DELETE FROM ${quote(tableName)} WHERE ${where} RETURNING ALL OLD *`, conditions };
}

/** The condition that an attribute equals a parameter. */
export function equals(name: string): string {
  return `${quote(name)} = ?`;
}

/** Quotes a name for PartiQL. */
function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Whether an item is held: it has the attribute, with any value. */
export function isHeld(
  { holdAttribute }: Pick<SweepSettings, 'holdAttribute'>,
  item: Readonly<Record<string, unknown>>,
): boolean {
  return holdAttribute !== undefined && Object.hasOwn(item, holdAttribute);
}
