import { text } from 'node:stream/consumers';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** A client of the SDK. */
interface Client {
  readonly send: (command: never, options?: never) => Promise<unknown>;
}

/** The part of a request or a response that is used. */
interface HttpMessage {
  readonly statusCode?: number;
  body?: unknown;
}

/**
 * Sends a command whose input is DynamoDB's JSON, as it is, and gives the JSON that DynamoDB answers with: bytes are base64, times
 * are epoch seconds, as in Lambda's events. An item that came this way goes back this way unchanged.
 *
 * The SDK makes objects of the JSON, in which the value of an attribute with the name `__proto__` is undefined. An error is still
 * the SDK's.
 */
export async function sendJson<Answer>(
  client: Client,
  command: { readonly middlewareStack: unknown },
  options?: object,
): Promise<Answer> {
  const stack = command.middlewareStack as DynamoDBClient['middlewareStack'];
  let json: unknown;
  stack.add(
    next => args => {
      (args.request as HttpMessage).body = JSON.stringify(args.input);
      return next(args);
    },
    // Behind the SDK's serializer, which is of the same step.
    { name: 'jsonInput', step: 'serialize', priority: 'low' },
  );
  stack.add(
    next => async args => {
      const result = await next(args);
      const response = result.response as HttpMessage;
      if (response.statusCode === 200) {
        json = JSON.parse(await text(response.body as NodeJS.ReadableStream));
        // Nothing is left for the SDK to make objects of.
        response.body = Buffer.from('{}');
      }
      return result;
    },
    // Before the SDK's deserializer, to which the response goes afterwards.
    { name: 'jsonAnswer', step: 'deserialize', priority: 'low' },
  );
  stack.add(
    next => async args => {
      const result = await next(args);
      Object.assign(result.output ?? {}, json);
      return result;
    },
    { name: 'jsonOutput', step: 'deserialize', priority: 'high' },
  );
  return (await client.send(command as never, options as never)) as Answer;
}
