import { clockSeconds } from './clock.ts';
import { InvalidArgumentError } from './errors.ts';
import { checkOptions } from './fields.ts';
import { type ItemLike, isItem } from './item.ts';
import { checkModel, type ExpiryModel } from './model.ts';
import { checkRequest, type Fields, NAME, withTtlAttribute } from './requests.ts';
import { expiredRange, isExpired } from './ttl.ts';

export interface ReadRequest {
  readonly TableName?: string | undefined;
  readonly Key?: object | undefined;
  readonly FilterExpression?: string | undefined;
  readonly ProjectionExpression?: string | undefined;
  readonly ExpressionAttributeNames?: Record<string, string> | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: the document client types its values as any
  readonly ExpressionAttributeValues?: Record<string, any> | undefined;
  readonly Item?: never;
  readonly UpdateExpression?: never;
  readonly ConditionExpression?: never;
}

export interface ReadAdditions {
  readonly FilterExpression?: string | undefined;
  readonly ProjectionExpression?: string | undefined;
  readonly ExpressionAttributeNames?: Record<string, string> | undefined;
  readonly ExpressionAttributeValues?: Record<string, unknown> | undefined;
}

export interface ReadOptions {
  /** Epoch milliseconds. @default Date.now() */
  readonly nowMs?: number;
}

const VALUES = { after: ':preciseTtlAfter', upTo: ':preciseTtlUpTo', type: ':preciseTtlType' } as const;

/** True for an item that is not expired. NOT (after < TTL <= upTo) is shorter, but depends on how DynamoDB compares a missing attribute. */
const FILTER =
  `(attribute_not_exists(${NAME}) OR NOT attribute_type(${NAME}, ${VALUES.type})` +
  ` OR ${NAME} > ${VALUES.upTo} OR ${NAME} <= ${VALUES.after})`;

const READS_NOTHING = 'Only reads are filtered.';
const FOREIGN = {
  Item: READS_NOTHING,
  UpdateExpression: READS_NOTHING,
  ConditionExpression: READS_NOTHING,
  RequestItems: 'A BatchGet cannot filter: pass each item that comes back through unlessExpired.',
};

/**
 * Adds a filter to a Query or Scan, so that a reader gets no expired item. A Get has no filter: its projection gets the TTL, and you pass
 * its item to {@link unlessExpired}. DynamoDB refuses a filter on a key: restrict a TTL that is a key of the index in the key condition.
 * @throws InvalidModelError; InvalidRequestError for another command, the low-level client (except a Get) and legacy parameters;
 * InvalidArgumentError for an unknown option and for a `nowMs` that is not in milliseconds
 */
export function notExpired<Request extends ReadRequest>(
  model: ExpiryModel,
  request: Request,
  options: ReadOptions = {},
): Request & ReadAdditions {
  checkModel(model);
  checkRequest(request, 'the input of a Query, Scan or Get of the document client', FOREIGN);
  const { after, upTo } = expiredRange(nowSeconds(options));
  if (request.Key)
    return withTtlAttribute({ ...request } as Fields, model.ttlAttribute).request as Request & ReadAdditions;
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

/**
 * Returns the item, or undefined when the item is expired or missing.
 * @param item from the document client or the low-level client, or a stream record's image
 * @throws InvalidModelError; InvalidArgumentError for anything but an item, for an unknown option, and for `nowMs` not in milliseconds
 */
export function unlessExpired<Item extends ItemLike>(
  model: ExpiryModel,
  item: Item | undefined,
  options: ReadOptions = {},
): Item | undefined {
  checkModel(model);
  const now = nowSeconds(options);
  if (item === undefined) return undefined;
  if (!isItem(item)) {
    throw new InvalidArgumentError({
      field: 'item',
      expected: 'one item, or undefined where there is none',
      got: item,
      remedy: "Pass the output's Item, or each of its Items.",
    });
  }
  const stored = (item as Readonly<Record<string, unknown>>)[model.ttlAttribute];
  return isExpired(stored, now) ? undefined : item;
}

function nowSeconds(options: ReadOptions): number {
  checkOptions(options, ['nowMs'] satisfies (keyof ReadOptions)[]);
  const { nowMs = Date.now() } = options;
  return clockSeconds(nowMs);
}
