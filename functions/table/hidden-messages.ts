import type { Documents } from './dynamodb.ts';

const KEPT = ['name', 'code', '$fault', '$retryable', '$metadata'] as const;

/**
 * Removes DynamoDB's messages from errors. Some messages repeat values of the request, such as an invalid number. Lambda logs an error that
 * a function throws, and the error becomes the cause of a failed execution. The request's id stays: AWS finds the message by this id.
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
