import { InvalidRequestError } from './errors.ts';
import { isObject } from './fields.ts';
import { isLowLevel } from './item.ts';

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

function checkLegacy(request: Fields): void {
  const field = LEGACY.find(name => request[name] !== undefined);
  if (field === undefined) return;
  throw new InvalidRequestError({
    field,
    expected: 'a request that uses expressions',
    got: request[field],
    remedy: 'Rewrite the legacy parameter as an expression: DynamoDB takes no mixture of the two.',
  });
}

export const NAME = '#preciseTtl';

/**
 * Adds the TTL attribute to what a request reads.
 * @param wholeItems false for a request with `Select: 'COUNT'`, whose answer has no items
 * @returns isAdded: whether this function added the attribute
 */
export function withTtlAttribute(
  request: Fields,
  ttlAttribute: string,
  wholeItems = true,
): { readonly request: Fields; readonly isAdded: boolean } {
  const { ProjectionExpression: projection, AttributesToGet } = request;
  const isProjected = typeof projection === 'string' && projection.trim() !== '';
  if (!isProjected && wholeItems && AttributesToGet === undefined) return { request, isAdded: false };
  checkLegacy(request);
  const names = (request['ExpressionAttributeNames'] ?? {}) as Readonly<Record<string, string>>;
  const paths = isProjected ? projection.split(',').map(path => path.trim()) : [];
  // DynamoDB refuses to name an attribute twice ("two document paths overlap").
  if (paths.some(path => (names[path] ?? path) === ttlAttribute)) return { request, isAdded: false };
  requirePossible(request, paths, names, ttlAttribute);
  return {
    request: {
      ...request,
      ProjectionExpression: isProjected ? `${projection}, ${NAME}` : NAME,
      ExpressionAttributeNames: { ...names, [NAME]: ttlAttribute },
    },
    isAdded: true,
  };
}

function requirePossible(
  request: Fields,
  paths: readonly string[],
  names: Readonly<Record<string, string>>,
  ttlAttribute: string,
): void {
  const within = paths.find(path => {
    const [root = ''] = path.split(/[.[]/);
    return (names[root] ?? root) === ttlAttribute;
  });
  if (within !== undefined) {
    throw new InvalidRequestError({
      field: 'ProjectionExpression',
      expected: `the TTL attribute ${ttlAttribute} as a whole, or without it`,
      got: request['ProjectionExpression'],
      remedy: `Write the attribute in the place of ${within}: DynamoDB does not take both, and without it nobody knows what is expired.`,
    });
  }
  if (names[NAME] !== undefined && names[NAME] !== ttlAttribute) {
    throw new InvalidRequestError({
      field: 'ExpressionAttributeNames',
      expected: `${NAME} for the TTL attribute ${ttlAttribute} alone`,
      got: names,
      remedy: `Give ${names[NAME]} another placeholder.`,
    });
  }
}
