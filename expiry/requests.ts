import { isLowLevel } from './attribute-value.ts';
import { InvalidRequestError } from './errors.ts';

type AttributeValueName = 'S' | 'N' | 'B' | 'SS' | 'NS' | 'BS' | 'M' | 'L' | 'NULL' | 'BOOL' | '$unknown';
type LowLevelValue =
  | { readonly S: string }
  | { readonly N: string }
  | { readonly B: Uint8Array }
  | { readonly SS: readonly string[] }
  | { readonly NS: readonly string[] }
  | { readonly BS: readonly Uint8Array[] }
  | { readonly M: object }
  | { readonly L: readonly unknown[] }
  | { readonly NULL: boolean }
  | { readonly BOOL: boolean };

type Refused = "a plain value, as the document client takes it, not the low-level client's AttributeValue";

/** A value in the low-level form becomes a text, which the compiler shows as the error. */
type PlainValue<Value> = 0 extends 1 & Value
  ? Value
  : Value extends LowLevelValue
    ? keyof Value extends AttributeValueName
      ? Refused
      : Value
    : Value;

type PlainRecord<Values> = { readonly [Name in keyof Values]: PlainValue<Values[Name]> };

/** Refuses a request whose expression values are in the form of the low-level client. */
export type PlainValues<Request> = Request extends { readonly ExpressionAttributeValues?: infer Values }
  ? { readonly ExpressionAttributeValues?: PlainRecord<Values> | undefined }
  : unknown;

export type PlainKey<Request> = Request extends { readonly Key?: infer Key }
  ? { readonly Key?: PlainRecord<Key> | undefined }
  : unknown;

export type Fields = Readonly<Record<string, unknown>>;

/** A null in one of these fields would be treated as missing. */
const MERGED = [
  'Key',
  'UpdateExpression',
  'FilterExpression',
  'ProjectionExpression',
  'ExpressionAttributeNames',
  'ExpressionAttributeValues',
] as const;

const VALUES = ['ExpressionAttributeValues', 'ExclusiveStartKey'] as const;

/** DynamoDB refuses these parameters together with expressions. */
const LEGACY = [
  'ScanFilter',
  'QueryFilter',
  'ConditionalOperator',
  'AttributesToGet',
  'KeyConditions',
  'AttributeUpdates',
  'Expected',
] as const;

export interface RequestRules {
  readonly expected: string;
  readonly foreign: Readonly<Record<string, string>>;
  /** A request that already has this placeholder was given an expiry or a filter before. */
  readonly placeholder: string;
  readonly caller: string;
}

export function checkRequest(request: unknown, rules: RequestRules): void {
  if (typeof request !== 'object' || request === null || Array.isArray(request)) {
    throw new InvalidRequestError({
      field: 'request',
      expected: rules.expected,
      got: request,
      remedy: 'Pass the input of the command.',
    });
  }
  const fields = request as Readonly<Record<string, unknown>>;
  for (const [field, remedy] of Object.entries(rules.foreign)) {
    if (fields[field] === undefined) continue;
    throw new InvalidRequestError({ field, expected: rules.expected, got: fields[field], remedy });
  }
  refuse(fields, LEGACY, value => value !== undefined, {
    expected: 'a request that uses expressions',
    remedy: 'Rewrite the legacy parameter as an expression: DynamoDB takes no mixture of the two.',
  });
  refuse(fields, MERGED, value => value === null, {
    expected: 'a value',
    remedy: 'Leave the field out where there is none.',
  });
  refuse(fields, VALUES, isLowLevel, DOCUMENT_CLIENT);
  const names = fields['ExpressionAttributeNames'];
  if (typeof names === 'object' && names !== null && rules.placeholder in names) {
    throw new InvalidRequestError({
      field: 'ExpressionAttributeNames',
      expected: `no ${rules.placeholder}`,
      got: names,
      remedy: `Call ${rules.caller} once per request.`,
    });
  }
}

export const DOCUMENT_CLIENT = {
  expected: 'plain values, as the document client takes them',
  remedy: "Use the commands of @aws-sdk/lib-dynamodb: the low-level client's form is not merged into.",
} as const;

function refuse(
  fields: Readonly<Record<string, unknown>>,
  names: readonly string[],
  isWrong: (value: unknown) => boolean,
  { expected, remedy }: { readonly expected: string; readonly remedy: string },
): void {
  const field = names.find(name => isWrong(fields[name]));
  if (field !== undefined) throw new InvalidRequestError({ field, expected, got: fields[field], remedy });
}
