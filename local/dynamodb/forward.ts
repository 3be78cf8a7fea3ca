import { type Agent, type IncomingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** What DynamoDB answered. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends a request on to DynamoDB with another body; rejects when the connection breaks. */
export function forward(
  target: string | URL,
  agent: Agent,
  headers: IncomingHttpHeaders,
  body: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { 'content-length': _length, 'transfer-encoding': _encoding, ...others } = headers;
    const sent = request(target, {
      method: 'POST',
      agent,
      headers: { ...others, 'content-length': Buffer.byteLength(body) },
    });
    sent.on('error', reject);
    sent.on('response', response => {
      buffer(response).then(received => {
        const { statusCode: status = 502, headers: answered } = response;
        resolve({ status, headers: answered, text: received.toString() });
      }, reject);
    });
    sent.end(body);
  });
}
