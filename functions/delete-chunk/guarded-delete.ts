import type { SweepSettings } from '../runtime/environment.ts';
import { keyAttributeNames } from '../table/item-key.ts';

/** The table's settings for a guarded delete. */
export type GuardSettings = Pick<SweepSettings, 'tableName' | 'model' | 'holdAttribute'>;

/**
 * Makes the statement, for example `DELETE FROM "t" WHERE "pk" = ? AND "sk" = ? AND "ttl" <= ? AND "ttl" > ? AND "hold" IS MISSING
 * RETURNING ALL OLD *`. Its parameters: the values of the key, the latest TTL, and the TTL that is too old. An attribute with the value NULL
 * is not missing. Source: DynamoDB Developer Guide, "Use PartiQL functions with DynamoDB", MISSING.
 */
export function guardedDelete({ tableName, model, holdAttribute }: GuardSettings): string {
  const ttl = quote(model.ttlAttribute);
  const conditions = [
    ...keyAttributeNames(model).map(name => `${quote(name)} = ?`),
    `${ttl} <= ?`,
    `${ttl} > ?`,
    ...(holdAttribute === undefined ? [] : [`${quote(holdAttribute)} IS MISSING`]),
  ];
  return `DELETE FROM ${quote(tableName)} WHERE ${conditions.join(' AND ')} RETURNING ALL OLD *`;
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
