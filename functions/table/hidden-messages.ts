import type { Documents } from './dynamodb.ts';

/** The fields of an error that are kept: they say which error it is, and whether another try may succeed. */
const KEPT = ['name', 'code', '$fault', '$retryable', '$metadata'] as const;

/**
 * The same documents, whose errors do not say what DynamoDB says: some of its messages repeat a value of the request, such as a
 * number that it cannot take, and whatever a function throws is logged by Lambda and becomes the cause of a failed execution.
 * The request's id, by which AWS knows the message, stays.
 */
export function withoutMessages(documents: Documents): Documents {
  const send = async (...args: Parameters<Documents['send']>) => {
    try {
      return await documents.send(...args);
    } catch (error) {
      throw error instanceof Error ? withoutMessage(error) : error;
    }
  };
  return { send: send as Documents['send'] };
}

function withoutMessage(error: Error): Error {
  const hidden = new Error('the message is not shown, because it can hold keys (logKeys)');
  for (const property of KEPT) {
    if (property in error) Object.assign(hidden, { [property]: error[property as keyof Error] });
  }
  return hidden;
}
