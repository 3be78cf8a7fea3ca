import { InvalidRequestError } from './errors.ts';
import type { ExpiryModel } from './model.ts';
import { expiredRange, isExpired, toEpochSeconds } from './ttl.ts';

/** The part of the document client's Query, Scan and Get inputs that the filter is merged into. */
export interface ReadRequest {
  readonly TableName?: string | undefined;
  readonly Key?: Record<string, unknown> | undefined;
  readonly FilterExpression?: string | undefined;
  readonly ProjectionExpression?: string | undefined;
  readonly ExpressionAttributeNames?: Record<string, string> | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: the document client types its values as any
  readonly ExpressionAttributeValues?: Record<string, any> | undefined;
}

/** The reader's clock. */
export interface ReadOptions {
  /** Epoch milliseconds. @default Date.now() */
  readonly nowMs?: number;
}

const NAME = '#preciseTtl';
const VALUES = { after: ':preciseTtlAfter', upTo: ':preciseTtlUpTo', type: ':preciseTtlType' } as const;

/**
 * The rules of {@link isExpired}, negated, as a filter. Every case is written out rather than wrapped into one
 * NOT, so that nothing hangs on how a comparison with a missing attribute comes out.
 */
const FILTER =
  `(attribute_not_exists(${NAME}) OR NOT attribute_type(${NAME}, ${VALUES.type})` +
  ` OR ${NAME} > ${VALUES.upTo} OR ${NAME} <= ${VALUES.after})`;

/** Parameters that DynamoDB refuses together with expressions. */
const LEGACY = [
  'ScanFilter',
  'QueryFilter',
  'ConditionalOperator',
  'AttributesToGet',
  'KeyConditions',
] as const;

/**
 * Merges "not expired" into the input of a Query, Scan or Get of the document client, so that readers never see an
 * expired item, even before it is swept.
 *
 * A Query or Scan gets the condition ANDed to its filter. A Get cannot filter: its projection, where it has one,
 * gets the TTL attribute, and {@link unlessExpired} decides on the item that comes back. A Query on an index whose
 * key is the TTL attribute cannot filter on it: put the bound into its key condition instead.
 *
 * @throws InvalidRequestError for legacy parameters, which cannot be mixed with expressions, and for a request
 *   that has the filter already
 */
export function notExpired<Request extends ReadRequest>(
  model: ExpiryModel,
  request: Request,
  { nowMs = Date.now() }: ReadOptions = {},
): Request {
  refuseUnmergeable(request);
  if (request.Key !== undefined) return withTtlProjected(model, request);
  const { after, upTo } = expiredRange(toEpochSeconds(nowMs));
  return {
    ...request,
    FilterExpression: request.FilterExpression?.trim()
      ? `(${request.FilterExpression}) AND ${FILTER}`
      : FILTER,
    ExpressionAttributeNames: { ...request.ExpressionAttributeNames, [NAME]: model.ttlAttribute },
    ExpressionAttributeValues: {
      ...request.ExpressionAttributeValues,
      [VALUES.after]: after,
      [VALUES.upTo]: upTo,
      [VALUES.type]: 'N',
    },
  };
}

/** The item, or undefined when it is expired (or there is none): what a Get, BatchGet or stream record holds. */
export function unlessExpired<Item extends Record<string, unknown>>(
  model: ExpiryModel,
  item: Item | undefined,
  { nowMs = Date.now() }: ReadOptions = {},
): Item | undefined {
  if (item === undefined) return undefined;
  const stored = item[model.ttlAttribute];
  // A document client that wraps numbers gives a NumberValue, and a bigint for what a double cannot hold.
  const ttl = typeof stored === 'object' || typeof stored === 'bigint' ? Number(stored) : stored;
  return isExpired(ttl, toEpochSeconds(nowMs)) ? undefined : item;
}

function withTtlProjected<Request extends ReadRequest>(model: ExpiryModel, request: Request): Request {
  if (!request.ProjectionExpression?.trim()) return request;
  const names = request.ExpressionAttributeNames ?? {};
  const projected = request.ProjectionExpression.split(',').map(path => names[path.trim()] ?? path.trim());
  // Naming an attribute twice is refused by DynamoDB ("two document paths overlap").
  if (projected.includes(model.ttlAttribute)) return request;
  return {
    ...request,
    ProjectionExpression: `${request.ProjectionExpression}, ${NAME}`,
    ExpressionAttributeNames: { ...names, [NAME]: model.ttlAttribute },
  };
}

function refuseUnmergeable(request: ReadRequest): void {
  const legacy = LEGACY.find(field => field in request && request[field as keyof ReadRequest] !== undefined);
  if (legacy !== undefined) {
    throw new InvalidRequestError({
      field: legacy,
      expected: 'a request that uses expressions',
      got: request[legacy as keyof ReadRequest],
      remedy: 'Rewrite the legacy parameter as an expression: DynamoDB takes no mixture of the two.',
    });
  }
  if (request.ExpressionAttributeNames?.[NAME] !== undefined) {
    throw new InvalidRequestError({
      field: 'ExpressionAttributeNames',
      expected: `no ${NAME}`,
      got: request.ExpressionAttributeNames,
      remedy: 'Call notExpired once per request.',
    });
  }
}
