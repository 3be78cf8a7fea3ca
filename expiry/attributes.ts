import { clockSeconds } from './clock.ts';
import { InvalidRequestError, InvalidTtlError } from './errors.ts';
import { checkOptions } from './fields.ts';
import { type ItemLike, isLowLevel } from './item.ts';
import { checkModel, type ExpiryModel } from './model.ts';
import { checkRequest, DOCUMENT_CLIENT, NAME } from './requests.ts';
import { shardOf } from './shard.ts';
import { checkTtl, MAX_TTL_SECONDS } from './ttl.ts';
import { windowKey, windowStart } from './window.ts';

export interface ExpiryOptions {
  /** Lifetime of the item in seconds from now; 0: the item never expires. @default the model's `defaultTtlSeconds` */
  readonly ttlSeconds?: number;
  /** The moment of expiry, epoch seconds. It is an error to give both `expiresAt` and `ttlSeconds`. */
  readonly expiresAt?: number;
  /** The current time, epoch milliseconds. @default Date.now() */
  readonly nowMs?: number;
}

const OPTIONS = ['ttlSeconds', 'expiresAt', 'nowMs'] as const satisfies (keyof ExpiryOptions)[];

/**
 * Returns the TTL and, in a table indexed by window, the window. Put both into the item on every write: a new TTL may be in another window.
 * For an item that never expires the result is empty. To make a stored item permanent, remove its attributes with {@link withExpiry}.
 * @param key the item's primary key, or the whole item, in the form of the document client
 * @returns e.g. `{ ttl: 1658266020, expirationWindow: '2022-07-19T21:27:00.000Z_2022-07-19T21:28:00.000Z' }`
 * @throws InvalidModelError; InvalidTtlError for a TTL that must not be written; InvalidKeyError for an incomplete key;
 * InvalidArgumentError for an unknown option or a `nowMs` that is not in milliseconds
 */
export function expiryAttributes<Key extends ItemLike>(
  model: ExpiryModel,
  key: Key,
  options: ExpiryOptions = {},
): Record<string, number | string> {
  checkModel(model);
  checkOptions(options, OPTIONS);
  const ttl = expiryTime(model, options);
  if (ttl === undefined) return {};
  // The shard is computed even if the table has no windows, so that a malformed key is an error in every table.
  const shard = shardOf(key, model, model.shards);
  const { granularitySeconds, ttlAttribute, windowAttribute } = model;
  if (windowAttribute === undefined) return { [ttlAttribute]: ttl };
  return {
    [ttlAttribute]: ttl,
    [windowAttribute]: windowKey(windowStart(ttl, granularitySeconds), granularitySeconds, shard),
  };
}

function expiryTime(
  model: ExpiryModel,
  { ttlSeconds, expiresAt, nowMs = Date.now() }: ExpiryOptions,
): number | undefined {
  const now = clockSeconds(nowMs);
  if (expiresAt !== undefined) {
    if (ttlSeconds !== undefined) {
      throw new InvalidTtlError({
        field: 'ttlSeconds',
        expected: 'either ttlSeconds or expiresAt',
        got: { ttlSeconds, expiresAt },
        remedy: 'Pass one of the two.',
      });
    }
    return checkTtl(model.ttlAttribute, expiresAt, now);
  }
  const seconds = ttlSeconds === undefined ? model.defaultTtlSeconds : ttlSeconds;
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > MAX_TTL_SECONDS) {
    throw new InvalidTtlError({
      field: 'ttlSeconds',
      expected: `a whole number of seconds from 0 to ${MAX_TTL_SECONDS} (20 years)`,
      got: seconds,
      remedy:
        typeof seconds === 'number' && seconds > now
          ? 'It looks like a point in time: pass it as expiresAt.'
          : 'Pass the seconds the item may live from now; 0 for an item that does not expire.',
    });
  }
  return seconds === 0 ? undefined : now + seconds;
}

export interface UpdateRequest {
  readonly Key: object | undefined;
  readonly UpdateExpression?: string | undefined;
  readonly ExpressionAttributeNames?: Record<string, string> | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: the document client types its values as any
  readonly ExpressionAttributeValues?: Record<string, any> | undefined;
}

export interface UpdateAdditions {
  readonly UpdateExpression: string;
  readonly ExpressionAttributeNames: Record<string, string>;
  readonly ExpressionAttributeValues?: Record<string, unknown> | undefined;
}

const NAMES = { ttl: NAME, window: '#preciseTtlWindow' } as const;
const VALUES = { ttl: ':preciseTtl', window: ':preciseTtlWindow' } as const;

/**
 * Adds {@link expiryAttributes} to an UpdateCommand's input. If the item never expires, the update removes the attributes.
 * @throws as {@link expiryAttributes}; InvalidRequestError for other inputs and legacy parameters
 */
export function withExpiry<Request extends UpdateRequest>(
  model: ExpiryModel,
  request: Request,
  options: ExpiryOptions = {},
): Request & UpdateAdditions {
  checkRequest(request, 'the input of an UpdateCommand of the document client', {
    Item: 'For a Put, put the attributes of expiryAttributes(model, item) into the Item.',
  });
  const { Key } = request;
  if (Key === undefined || isLowLevel(Key)) {
    throw new InvalidRequestError({ field: 'Key', ...DOCUMENT_CLIENT, got: Key });
  }
  const attributes = expiryAttributes(model, Key, options);
  const expires = attributes[model.ttlAttribute] !== undefined;
  const stamped = [
    { name: NAMES.ttl, value: VALUES.ttl, attribute: model.ttlAttribute },
    ...(model.windowAttribute === undefined
      ? []
      : [{ name: NAMES.window, value: VALUES.window, attribute: model.windowAttribute }]),
  ];
  return {
    ...request,
    UpdateExpression: expires
      ? addClause(
          request.UpdateExpression,
          'SET',
          stamped.map(({ name, value }) => `${name} = ${value}`).join(', '),
        )
      : addClause(request.UpdateExpression, 'REMOVE', stamped.map(({ name }) => name).join(', ')),
    ExpressionAttributeNames: {
      ...request.ExpressionAttributeNames,
      ...Object.fromEntries(stamped.map(({ name, attribute }) => [name, attribute])),
    },
    ...(expires && {
      ExpressionAttributeValues: {
        ...request.ExpressionAttributeValues,
        ...Object.fromEntries(stamped.map(({ value, attribute }) => [value, attributes[attribute]])),
      },
    }),
  };
}

/** Adds to the only SET (or REMOVE) clause, or appends one. SET and REMOVE are reserved words: no attribute's name looks like them. */
function addClause(expression: string | undefined, keyword: 'SET' | 'REMOVE', addition: string): string {
  if (!expression?.trim()) return `${keyword} ${addition}`;
  const clause = new RegExp(`(?<![#:.\\w])${keyword}\\s+`, 'i');
  return clause.test(expression)
    ? expression.replace(clause, `${keyword} ${addition}, `)
    : `${expression.trim()} ${keyword} ${addition}`;
}
