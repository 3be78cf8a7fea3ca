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
 * Sends a command whose input is DynamoDB's JSON, and returns DynamoDB's JSON unchanged: bytes are base64, times are epoch seconds, as in
 * Lambda's events. An item that was read this way can be written back unchanged.
 *
 * The SDK would make objects of the JSON, in which the value of an attribute named `__proto__` is undefined. Errors are still the SDK's.
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
    // This runs after the SDK's serializer, which is in the same step.
    { name: 'jsonInput', step: 'serialize', priority: 'low' },
  );
  stack.add(
    next => async args => {
      const result = await next(args);
      const response = result.response as HttpMessage;
      if (response.statusCode === 200) {
        json = JSON.parse(await text(response.body as NodeJS.ReadableStream));
        // The rest of the response has nothing for the SDK to convert.
        response.body = Buffer.from('{}');
      }
      return result;
    },
    // This runs before the SDK's deserializer.
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
