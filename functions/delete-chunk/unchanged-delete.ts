import type { SweepSettings } from '../runtime/environment.ts';
import type { ImageValue, ItemImage } from '../stream/event.ts';
import { keyAttributeNames } from '../table/item-key.ts';
import { equals, guardedDelete } from './guarded-delete.ts';

/**
 * Most conditions of one expression: each has an operator, and so has each AND between them. Source: DynamoDB Developer Guide, "Quotas".
 */
const MAX_CONDITIONS = Math.floor((300 + 1) / 2);

/**
 * Most UTF-8 bytes of a statement; the documented limit counts characters, which are never more. Source: DynamoDB API reference,
 * BatchStatementRequest.
 */
const MAX_STATEMENT_BYTES = 8192;

/** The first character of names that DynamoDB Local mistakes for placeholders although they are quoted. */
const PLACEHOLDER = /^[#:]/;

/** A guarded delete with the condition that the item equals the one that was read. */
export interface UnchangedDelete {
  readonly statement: string;
  /** The values of the compared attributes, in the order of the statement; they follow those of the guarded delete. */
  readonly values: readonly ImageValue[];
  /**
   * Names of all attributes whose changes the statement detects. It does not detect added attributes, nor changes of those that did not
   * fit.
   */
  readonly compared: ReadonlySet<string>;
}

/**
 * Adds to the guarded delete the condition that every attribute is unchanged. Maps, lists and sets are compared as a whole, so that a
 * change deep inside is detected.
 *
 * An item of up to 145 attributes with short names is compared completely. For other items the TTL comes first, then the attributes that
 * fit.
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
