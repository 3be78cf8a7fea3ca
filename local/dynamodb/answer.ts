import type { IncomingHttpHeaders } from 'node:http';

/** An answer of DynamoDB, real or made here. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Builds an answer in DynamoDB's format. */
export function jsonAnswer(body: object, status = 200): Answer {
  return {
    status,
    headers: { 'content-type': 'application/x-amz-json-1.0' },
    body: Buffer.from(JSON.stringify(body)),
  };
}
