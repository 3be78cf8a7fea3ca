import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { toEpochSeconds, ttlFault } from '../../expiry/ttl.ts';
import { quoted } from '../command-line.ts';
import type { NoNumber } from './ttl-look.ts';

/**
 * The AWS CLI command that converts a TTL to a Number, or removes it if its value contains no time. The command does nothing if
 * meanwhile a text has another value, or another value has another type.
 *
 * @param now epoch seconds
 */
export function correction(
  tableName: string,
  ttlAttribute: string,
  { key, value }: NoNumber,
  now: number,
): string {
  const seconds = secondsIn(value, now);
  const isText = value.S !== undefined;
  const values = {
    ...(seconds !== undefined && { ':new': { N: String(seconds) } }),
    ':old': { S: isText ? value.S : (Object.keys(value)[0] ?? '') },
  };
  const args = [
    ...['--table-name', tableName, '--key', JSON.stringify(key)],
    ...['--update-expression', seconds === undefined ? 'REMOVE #ttl' : 'SET #ttl = :new'],
    ...['--condition-expression', isText ? '#ttl = :old' : 'attribute_type(#ttl, :old)'],
    ...['--expression-attribute-names', JSON.stringify({ '#ttl': ttlAttribute })],
    ...['--expression-attribute-values', JSON.stringify(values)],
  ];
  return `aws dynamodb update-item ${quoted(args)}`;
}

/** Reads the time from a TTL that is not a Number: seconds or milliseconds as text, or an ISO-8601 date with a zone. */
function secondsIn({ S: text = '' }: AttributeValue, now: number): number | undefined {
  const seconds = /^\d+(\.\d+)?$/.test(text)
    ? secondsOfNumber(Number(text), now)
    : /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:?\d\d)$/.test(text)
      ? toEpochSeconds(Date.parse(text))
      : Number.NaN;
  return ttlFault(seconds, now) === undefined ? seconds : undefined;
}

function secondsOfNumber(number: number, now: number): number {
  return ttlFault(number, now) === 'milliseconds' ? toEpochSeconds(number) : Math.floor(number);
}
