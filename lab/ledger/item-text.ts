import { plainDecimal } from '../../expiry/plain-decimal.ts';
import type { ImageValue, ItemImage } from '../../functions/stream/event.ts';

/**
 * Formats an item or its key as text: equal items give equal text. Attributes and sets are sorted, bytes are in base64, and numbers have
 * all their digits. It shares no code with the archive's own text, which it checks.
 */
export function itemText(image: ItemImage): string {
  return JSON.stringify(sorted(image));
}

function sorted(image: ItemImage): unknown {
  return Object.entries(image)
    .map(([name, value]) => [name, plain(value)] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

function plain(value: ImageValue): unknown {
  if ('N' in value) return { N: digits(value.N) };
  if ('B' in value) return { B: base64(value.B) };
  if ('SS' in value) return { SS: [...value.SS].sort() };
  if ('NS' in value) return { NS: value.NS.map(digits).sort() };
  if ('BS' in value) return { BS: value.BS.map(base64).sort() };
  if ('M' in value) return { M: sorted(value.M) };
  if ('L' in value) return { L: value.L.map(plain) };
  return value;
}

const digits = (number: string): string => plainDecimal(number) ?? `no number: ${number}`;

/** Bytes are arrays in an item that the SDK's client has read. */
const base64 = (bytes: string | Uint8Array): string =>
  typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('base64');
