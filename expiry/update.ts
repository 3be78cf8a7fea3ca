import { type ExpiryOptions, expiryAttributes } from './attributes.ts';
import { InvalidRequestError } from './errors.ts';
import { isLowLevel } from './item.ts';
import type { ExpiryModel } from './model.ts';
import { checkRequest, DOCUMENT_CLIENT } from './requests.ts';

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

const NAMES = { ttl: '#preciseTtl', window: '#preciseTtlWindow' } as const;
const VALUES = { ttl: ':preciseTtl', window: ':preciseTtlWindow' } as const;

/**
 * Adds the expiry to an UpdateCommand's input. The update sets the TTL and, in a table indexed by window, the window. If the item shall
 * never expire, the update removes these attributes.
 *
 * @throws the errors of {@link expiryAttributes}; InvalidRequestError for the input of another command or of the low-level client, and for
 * legacy parameters
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

/**
 * An update expression may have each keyword only once, so the addition goes into the keyword's clause if there is one. SET and REMOVE are
 * reserved words, so no attribute's name in an expression can be mistaken for a keyword.
 */
function addClause(expression: string | undefined, keyword: 'SET' | 'REMOVE', addition: string): string {
  if (!expression?.trim()) return `${keyword} ${addition}`;
  const clause = new RegExp(`(?<![#:.\\w])${keyword}\\s+`, 'i');
  return clause.test(expression)
    ? expression.replace(clause, `${keyword} ${addition}, `)
    : `${expression.trim()} ${keyword} ${addition}`;
}
