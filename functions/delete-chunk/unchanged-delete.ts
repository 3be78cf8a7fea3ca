import type { SweepSettings } from '../runtime/environment.ts';
import type { ImageValue, ItemImage } from '../stream/event.ts';
import { keyAttributeNames } from '../table/item-key.ts';
import { equals, guardedDelete } from './guarded-delete.ts';

/** Conditions of one expression: each has an operator, and so has each AND between them. Source: DynamoDB Developer Guide, "Quotas". */
const MAX_CONDITIONS = Math.floor((300 + 1) / 2);

/** UTF-8 bytes, of which a statement has at least as many as characters. Source: DynamoDB API reference, BatchStatementRequest. */
const MAX_STATEMENT_BYTES = 8192;

/** The beginning of a name that DynamoDB Local takes for a placeholder's, although it is quoted. */
const PLACEHOLDER = /^[#:]/;

/** A guarded delete of an item that is still as it was read. */
export interface UnchangedDelete {
  readonly statement: string;
  /** The values of the compared attributes, in the order of the statement; they stand behind those of the guarded delete. */
  readonly values: readonly ImageValue[];
  /** Names of all attributes that the statement sees a change of. It does not see what is added, nor what had no room. */
  readonly compared: ReadonlySet<string>;
}

/**
 * Adds to the guarded delete that every attribute has the value that it had. Maps, lists and sets are compared as a whole, so that a
 * change deep inside of one is seen.
 *
 * An item of up to 145 attributes whose names are not long is compared whole. Of others the TTL comes first, then what has room.
 */
export function unchangedDelete(settings: SweepSettings, image: ItemImage): UnchangedDelete {
  const keyNames = keyAttributeNames(settings.model);
  const guarded = guardedDelete(settings);
  const names = [settings.model.ttlAttribute, ...Object.keys(image).sort()];
  const compared = new Set<string>(keyNames);
  const more: string[] = [];
  const values: ImageValue[] = [];
  let bytes = MAX_STATEMENT_BYTES - Buffer.byteLength(guarded.statement);
  for (const name of names) {
    const value = image[name];
    if (value === undefined || compared.has(name) || PLACEHOLDER.test(name)) continue;
    const condition = equals(name);
    const size = Buffer.byteLength(` AND ${condition}`);
    if (size > bytes || guarded.conditions.length + more.length === MAX_CONDITIONS) continue;
    more.push(condition);
    values.push(value);
    compared.add(name);
    bytes -= size;
  }
  return { statement: guardedDelete(settings, more).statement, values, compared };
}
