import type { IncomingHttpHeaders } from 'node:http';

/** What DynamoDB answered, or what is answered in its place. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The connection breaks after so many bytes of the body. @default it does not */
  readonly cutAt?: number;
}

/** The JSON body of a request or an answer. */
export type Body = Readonly<Record<string, unknown>>;

/** undefined for what isn't a JSON object: it is passed on as it is. */
export function parseBody(text: string | Buffer): Body | undefined {
  try {
    const value: unknown = JSON.parse(text.toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : undefined;
  } catch {
    return undefined;
  }
}

/** Answers as DynamoDB does. */
export function jsonAnswer(body: object, status = 200): Answer {
  return {
    status,
    headers: { 'content-type': 'application/x-amz-json-1.0' },
    body: Buffer.from(JSON.stringify(body)),
  };
}

/** The same answer with another body. DynamoDB writes the numbers of items as strings, so nothing is lost on the way. */
export function withBody({ headers, ...answer }: Answer, body: Body): Answer {
  // Of the body, which is another one now.
  const { 'x-amz-crc32': _checksum, ...others } = headers;
  return { ...answer, headers: others, body: Buffer.from(JSON.stringify(body)) };
}
