/** An item, or one of its values, in DynamoDB's JSON. */
export type AttributeMap = Readonly<Record<string, unknown>>;

/** Bytes of a write unit. */
const WRITE_UNIT_BYTES = 1024;

/** Write units for writing or deleting an item of this size; at least one. */
export const writeUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / WRITE_UNIT_BYTES));

/** Bytes of a unit of a consistent read; an eventually consistent one costs half. */
const READ_UNIT_BYTES = 4096;

/** Read units for a consistent read of items of this size together; at least one. */
export const readUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / READ_UNIT_BYTES));

/**
 * Bytes of an item by DynamoDB's rules (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html):
 * names and strings by their UTF-8, a number about one byte for two digits and one more, lists and maps three bytes and one for each
 * member.
 */
export function itemBytes(item: AttributeMap): number {
  return Object.entries(item).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value as AttributeMap),
    0,
  );
}

const COLLECTION_BYTES = 3;
const MEMBER_BYTES = 1;

function valueBytes(value: AttributeMap): number {
  const [type, content] = Object.entries(value)[0] ?? ['NULL', true];
  const sum = (of: (one: never) => number) => (content as never[]).reduce((total, one) => total + of(one), 0);
  switch (type) {
    case 'S':
      return Buffer.byteLength(content as string);
    case 'N':
      return numberBytes(content as string);
    case 'B':
      return Buffer.byteLength(content as string, 'base64');
    case 'SS':
      return sum((one: string) => Buffer.byteLength(one));
    case 'NS':
      return sum(numberBytes);
    case 'BS':
      return sum((one: string) => Buffer.byteLength(one, 'base64'));
    case 'L':
      return COLLECTION_BYTES + sum((one: AttributeMap) => MEMBER_BYTES + valueBytes(one));
    case 'M': {
      const members = content as AttributeMap;
      return COLLECTION_BYTES + MEMBER_BYTES * Object.keys(members).length + itemBytes(members);
    }
    default:
      return 1; // NULL and BOOL
  }
}

function numberBytes(text: string): number {
  const digits = text
    .replace(/[eE].*$/, '')
    .replace(/[^\d]/g, '')
    .replace(/^0+|0+$/g, '');
  return Math.ceil(digits.length / 2) + 1 + (text.startsWith('-') ? 1 : 0);
}
