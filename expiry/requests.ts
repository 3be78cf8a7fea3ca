import { isLowLevel } from './attribute-value.ts';
import { InvalidRequestError } from './errors.ts';
import { isObject } from './fields.ts';

export type Fields = Readonly<Record<string, unknown>>;

export const DOCUMENT_CLIENT = {
  expected: 'plain values, as the document client takes them',
  remedy: "Use the commands of @aws-sdk/lib-dynamodb: the low-level client's form is not merged into.",
} as const;

/** DynamoDB refuses these parameters together with expressions. Source: DynamoDB Developer Guide, "Legacy conditional parameters". */
const LEGACY = [
  'ScanFilter',
  'QueryFilter',
  'ConditionalOperator',
  'AttributesToGet',
  'KeyConditions',
  'AttributeUpdates',
  'Expected',
];

/**
 * @param expected the command whose input the request should be
 * @param foreign fields of other commands, each with its remedy
 */
export function checkRequest(
  request: object,
  expected: string,
  foreign: Readonly<Record<string, string>>,
): void {
  const given: unknown = request;
  if (!isObject(given)) {
    throw new InvalidRequestError({
      field: 'request',
      expected,
      got: request,
      remedy: 'Pass the input of the command.',
    });
  }
  for (const [field, remedy] of Object.entries(foreign)) {
    const got = given[field];
    if (got !== undefined) throw new InvalidRequestError({ field, expected, got, remedy });
  }
  checkLegacy(given);
  for (const field of ['ExpressionAttributeValues', 'ExclusiveStartKey']) {
    const got = given[field];
    if (isLowLevel(got)) throw new InvalidRequestError({ field, ...DOCUMENT_CLIENT, got });
  }
}

export function checkLegacy(request: Fields): void {
  const field = LEGACY.find(name => request[name] !== undefined);
  if (field === undefined) return;
  throw new InvalidRequestError({
    field,
    expected: 'a request that uses expressions',
    got: request[field],
    remedy: 'Rewrite the legacy parameter as an expression: DynamoDB takes no mixture of the two.',
  });
}
