import { isObject } from '../../expiry/fields.ts';
import type { Answer } from '../../local/dynamodb/answer.ts';

/** The JSON body of a request or an answer. */
export type Body = Readonly<Record<string, unknown>>;

/** Parses a body; undefined when it is not a JSON object, which is passed on unchanged. */
export function parseBody(text: string | Buffer): Body | undefined {
  try {
    const value: unknown = JSON.parse(text.toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the same answer with another body. DynamoDB writes the numbers of items as strings, so no digits are lost. */
export function withBody({ headers, ...answer }: Answer, body: Body): Answer {
  // The old checksum does not match the new body.
  const { 'x-amz-crc32': _checksum, ...others } = headers;
  return { ...answer, headers: others, body: Buffer.from(JSON.stringify(body)) };
}
