import type { SweepSettings } from '../runtime/environment.ts';
import { keyAttributeNames } from '../table/item-key.ts';

/** The table's settings for a guarded delete. */
export type GuardSettings = Pick<SweepSettings, 'tableName' | 'model'>;

/**
 * Makes the statement, for example `DELETE FROM "t" WHERE "pk" = ? AND "sk" = ? AND "ttl" <= ? AND "ttl" > ? RETURNING ALL OLD *`. Its
 * parameters: the values of the key, the latest TTL, and the TTL that is too old.
 */
export function guardedDelete({ tableName, model }: GuardSettings): string {
  const ttl = quote(model.ttlAttribute);
  const conditions = [
    ...keyAttributeNames(model).map(name => `${quote(name)} = ?`),
    `${ttl} <= ?`,
    `${ttl} > ?`,
  ];
  return `DELETE FROM ${quote(tableName)} WHERE ${conditions.join(' AND ')} RETURNING ALL OLD *`;
}

/** Quotes a name for PartiQL. */
function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
