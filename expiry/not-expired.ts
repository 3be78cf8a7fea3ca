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
  // Only write requests have these fields.
  readonly Item?: never;
  readonly UpdateExpression?: never;
  readonly ConditionExpression?: never;
}

/** The additions of {@link notExpired}. The low-level client does not accept the plain values. */
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

/**
 * The negated rules of {@link isExpired}. Every case is written out instead of one NOT, so that nothing depends on the result of a
 * comparison with a missing attribute.
 */
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
 * Merges "not expired" into the input of a Query, Scan or Get of the document client, so that readers never see an expired item, even
 * before the item is swept. A Query or Scan gets the condition ANDed to its filter. A Get cannot filter: the TTL attribute is added to the
 * Get's projection, if there is one, and {@link unlessExpired} decides on the returned item. A Query on an index whose key is the TTL
 * attribute cannot filter on the TTL: put the bound into the key condition instead.
 * @throws InvalidRequestError for the input of another command or of the low-level client (except a Get), and for legacy parameters, which
 * cannot be mixed with expressions; InvalidArgumentError for a clock in another unit
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
    return withTtlAttribute(request as Fields, model.ttlAttribute).request as Request & ReadAdditions;
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
 *
 * @param item result of a Get or BatchGet of the document client or the low-level client, or a stream record's image
 * @throws InvalidArgumentError for anything but an item, and for a clock in another unit
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
