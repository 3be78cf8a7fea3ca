import type { Documents } from './dynamodb.ts';

const KEPT = ['name', 'code', '$fault', '$retryable', '$metadata'] as const;

/**
 * Removes the messages from DynamoDB's errors: some messages repeat a key, and `logKeys` may forbid keys in logs. Lambda logs an error that
 * a function throws, and the error becomes the cause of the failed execution. The request id stays: AWS can find the message by this id.
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
