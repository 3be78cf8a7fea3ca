import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { consumerFailure, failedIds } from './consumer-answer.ts';
import { CLIENT_OPTIONS, type Connection, type Destination } from './destination.ts';

/**
 * A payload may have 6 MB, so a whole batch of events usually fits in one call. No event is larger: an item of 400 KB is at most 3 MB of
 * JSON. Source: Lambda quotas, synchronous invocations.
 */
const LIMITS = { events: 1000, eventBytes: 5_900_000, callBytes: 5_900_000 } as const;

/**
 * A destination that calls a function with `{ events: [...] }`. The function may answer which events it could not handle, like a function
 * of Lambda's own event sources: `{ batchItemFailures: [{ itemIdentifier: id }] }`.
 *
 * @param name name or ARN of the function
 */
export function consumerFunction(name: string, connection: Connection = {}): Destination {
  const client = new LambdaClient({
    ...CLIENT_OPTIONS,
    // The answer has no timeout except the caller's: the function has its own.
    requestHandler: { connectionTimeout: 1_000 },
    ...connection,
  });
  return {
    limits: LIMITS,
    async send(events, options) {
      const Payload = `{"events":[${events.map(({ text }) => text).join()}]}`;
      const answer = await client.send(
        new InvokeCommand({ FunctionName: name, InvocationType: 'RequestResponse', Payload }),
        options,
      );
      const text = Buffer.from(answer.Payload ?? []).toString();
      if (answer.FunctionError !== undefined) throw consumerFailure(text);
      const failed = failedIds(text, new Set(events.map(({ id }) => id)));
      const why = { reason: 'batchItemFailures', isForTheEvent: false };
      return events.flatMap(({ id }, index) => (failed.has(id) ? [{ index, why }] : []));
    },
  };
}
