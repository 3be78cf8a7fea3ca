import { type ExpiryOptions, expiryAttributes } from './attributes.ts';
import { InvalidRequestError } from './errors.ts';
import type { ExpiryModel } from './model.ts';
import type { PrimaryKey } from './shard.ts';

/** The part of the document client's UpdateCommandInput that the expiry is merged into. */
export interface UpdateRequest {
  readonly Key?: PrimaryKey | undefined;
  readonly UpdateExpression?: string | undefined;
  readonly ExpressionAttributeNames?: Record<string, string> | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: the document client types its values as any
  readonly ExpressionAttributeValues?: Record<string, any> | undefined;
}

const NAMES = { ttl: '#preciseTtl', window: '#preciseTtlWindow' } as const;
const VALUES = { ttl: ':preciseTtl', window: ':preciseTtlWindow' } as const;

/**
 * Merges the expiry into an UpdateCommand's input, as every update recomputes it: the item's TTL and window are
 * set together, or removed together when the item shall not expire.
 *
 * @throws InvalidTtlError, InvalidKeyError as {@link expiryAttributes}; InvalidRequestError when the request has
 *   been given an expiry before
 */
export function withExpiry<Request extends UpdateRequest>(
  model: ExpiryModel,
  request: Request,
  options: ExpiryOptions = {},
): Request {
  if (request.ExpressionAttributeNames?.[NAMES.ttl] !== undefined) {
    throw new InvalidRequestError({
      field: 'ExpressionAttributeNames',
      expected: `no ${NAMES.ttl}`,
      got: request.ExpressionAttributeNames,
      remedy: 'Call withExpiry once per request.',
    });
  }
  const attributes = expiryAttributes(model, request.Key ?? {}, options);
  const ttl = attributes[model.ttlAttribute];
  const expires = ttl !== undefined;
  return {
    ...request,
    UpdateExpression: expires
      ? addClause(
          request.UpdateExpression,
          'SET',
          `${NAMES.ttl} = ${VALUES.ttl}, ${NAMES.window} = ${VALUES.window}`,
        )
      : addClause(request.UpdateExpression, 'REMOVE', `${NAMES.ttl}, ${NAMES.window}`),
    ExpressionAttributeNames: {
      ...request.ExpressionAttributeNames,
      [NAMES.ttl]: model.ttlAttribute,
      [NAMES.window]: model.windowAttribute,
    },
    ...(expires && {
      ExpressionAttributeValues: {
        ...request.ExpressionAttributeValues,
        [VALUES.ttl]: ttl,
        [VALUES.window]: attributes[model.windowAttribute],
      },
    }),
  };
}

/**
 * Adds to the clause of an update expression, which may hold each keyword once. The keywords are reserved words,
 * so a bare one is always the clause: as an attribute it could only stand behind `#`.
 */
function addClause(expression: string | undefined, keyword: 'SET' | 'REMOVE', addition: string): string {
  if (!expression?.trim()) return `${keyword} ${addition}`;
  const clause = new RegExp(`(?<![#:.\\w])${keyword}\\s+`, 'i');
  return clause.test(expression)
    ? expression.replace(clause, `${keyword} ${addition}, `)
    : `${expression.trim()} ${keyword} ${addition}`;
}
