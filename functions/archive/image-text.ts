import { isObject } from '../../expiry/fields.ts';
import { plainDecimal } from '../../expiry/plain-decimal.ts';
import type { ImageValue, ItemImage } from '../stream/event.ts';
import type { ArchiveFormat } from './settings.ts';

/**
 * Returns an item, or its key, as JSON text. Attributes are sorted by name, so that equal items give equal texts. Numbers lose no digit:
 * DynamoDB JSON has them as strings, and the plain format writes all their digits.
 *
 * @throws TypeError for a value that is not an attribute value, and for one that has no plain form
 */
export function imageText(image: ItemImage, format: ArchiveFormat): string {
  return format === 'json' ? objectText(image, plainText) : sortedJson(image);
}

function objectText<Value>(object: Readonly<Record<string, Value>>, text: (value: Value) => string): string {
  const fields = Object.keys(object)
    .sort()
    .map(name => `${JSON.stringify(name)}:${text(object[name] as Value)}`);
  return `{${fields.join()}}`;
}

/** Returns DynamoDB JSON with sorted members, including members of types that DynamoDB may add in the future. */
function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join()}]`;
  if (isObject(value)) return objectText(value, sortedJson);
  return jsonText(value);
}

/** Returns JSON, or throws: `JSON.stringify` returns undefined for some values, which would stand as `undefined` in the line. */
function jsonText(value: unknown): string {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`expected JSON, got ${typeof value}`);
  return text;
}

function plainText(value: ImageValue): string {
  if ('S' in value) return jsonText(value.S);
  if ('N' in value) return numberText(value.N);
  if ('B' in value) return jsonText(value.B);
  if ('SS' in value) return jsonText(value.SS);
  if ('NS' in value) return `[${value.NS.map(numberText).join()}]`;
  if ('BS' in value) return jsonText(value.BS);
  if ('M' in value) return objectText(value.M, plainText);
  if ('L' in value) return `[${value.L.map(plainText).join()}]`;
  if ('BOOL' in value) return jsonText(value.BOOL);
  if ('NULL' in value) return 'null';
  throw new TypeError(
    `expected a value in DynamoDB JSON, got the members ${JSON.stringify(Object.keys(value))}`,
  );
}

/** Returns a number as JSON with all its digits, which JSON allows; a double would keep only 15. */
function numberText(digits: string): string {
  const plain = plainDecimal(digits);
  if (plain === undefined) throw new TypeError('expected the digits of a Number, got another text');
  return plain;
}
