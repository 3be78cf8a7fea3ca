import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { isObject } from '../../expiry/fields.ts';
import type { ExpiryModel } from '../../expiry/model.ts';
import { plainDecimal } from '../../expiry/plain-decimal.ts';
import { keyAttributeNames } from '../../functions/table/item-key.ts';
import type { ArchivedImage } from './archived-image.ts';
import { keyId } from './wanted-keys.ts';

/** The place where a line contradicts itself or its folder; undefined if it does not. @param date of the folder of the line */
export function contradictionIn(image: ArchivedImage, model: ExpiryModel, date: string): string | undefined {
  const { item, id, expiredAt } = image;
  const names = keyAttributeNames(model).filter(name => Object.hasOwn(item, name));
  if (keyId(Object.fromEntries(names.map(name => [name, item[name]])), model) !== id)
    return `expected an item with the line's key in ${keyAttributeNames(model).join(' and ')}, got another or none`;
  const ttl = item[model.ttlAttribute];
  const seconds = isObject(ttl) && typeof ttl['N'] === 'string' ? Math.floor(Number(ttl['N'])) : undefined;
  if (seconds !== Math.floor(Date.parse(expiredAt) / 1000))
    return `expected a Number in ${model.ttlAttribute} that says ${expiredAt} as expiredAt does, got another or none`;
  if (!expiredAt.startsWith(date)) return `expected lines that expired on ${date}, got ${expiredAt}`;
  return undefined;
}

/** Attributes that differ between the line and the table. */
export function differingAttributes(
  archived: ArchivedImage['item'],
  stored: Readonly<Record<string, AttributeValue>>,
): string[] {
  const names = new Set([...Object.keys(archived), ...Object.keys(stored)]);
  return [...names].filter(name => sameText(archived[name]) !== sameText(stored[name]));
}

/** A text that is equal for equal values: sets are sorted, `1.0` equals `1`, and bytes become base64. */
const sameText = (value: unknown): string => JSON.stringify(comparable(value)) ?? '';

function comparable(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.entries(value).map(([type, content]) => [type, comparableContent(type, content)]);
}

function comparableContent(type: string, content: unknown): unknown {
  if (type === 'N') return typeof content === 'string' ? (plainDecimal(content) ?? content) : content;
  if (type === 'B') return content instanceof Uint8Array ? Buffer.from(content).toString('base64') : content;
  if (Array.isArray(content)) {
    if (type === 'L') return content.map(comparable);
    return content.map(each => JSON.stringify(comparableContent(type.slice(0, 1), each))).sort();
  }
  if (type !== 'M' || !isObject(content)) return content;
  return Object.keys(content)
    .sort()
    .map(name => [name, comparable(content[name])]);
}
