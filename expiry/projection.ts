import { InvalidRequestError } from './errors.ts';
import type { Fields } from './requests.ts';

const NAME = '#preciseTtl';

/**
 * DynamoDB does not allow these parameters together with a projection expression. A request with one of them names its attributes in
 * AttributesToGet. Source: DynamoDB Developer Guide, "Legacy conditional parameters".
 */
const LEGACY = ['AttributesToGet', 'KeyConditions', 'QueryFilter', 'ScanFilter', 'ConditionalOperator'];

export interface Projected {
  readonly request: Fields;
  readonly isAdded: boolean;
}

/**
 * @param wholeItems whether a request without a projection returns whole items; one that counts returns none
 * @throws InvalidRequestError if the attribute cannot be added
 */
export function withTtlAttribute(request: Fields, ttlAttribute: string, wholeItems = true): Projected {
  const { ProjectionExpression: projection, AttributesToGet: attributes } = request;
  if (Array.isArray(attributes)) {
    if (attributes.includes(ttlAttribute)) return { request, isAdded: false };
    return { request: { ...request, AttributesToGet: [...attributes, ttlAttribute] }, isAdded: true };
  }
  const isProjected = typeof projection === 'string' && projection.trim() !== '';
  if (!isProjected && wholeItems) return { request, isAdded: false };
  if (!isProjected && LEGACY.some(field => request[field] !== undefined)) {
    return { request: { ...request, AttributesToGet: [ttlAttribute] }, isAdded: true };
  }
  const names = (request['ExpressionAttributeNames'] ?? {}) as Readonly<Record<string, string>>;
  const paths = isProjected ? projection.split(',').map(path => path.trim()) : [];
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
