import { PreciseTtlError } from '../../expiry/errors.ts';
import { isObject } from '../../expiry/fields.ts';

/** The function that receives the events has failed. */
export class ConsumerFailedError extends PreciseTtlError {
  override readonly name = 'ConsumerFailedError';
}

/** The answer of the function that receives the events is malformed, so it is unknown which events it handled. */
export class ConsumerAnswerError extends PreciseTtlError {
  override readonly name = 'ConsumerAnswerError';
}

/**
 * The ids of the events that the function reports as failed. As with Lambda's own event sources, an answer without `batchItemFailures`
 * means that all were handled.
 *
 * @param text payload of the answer
 * @param sent ids of the events in the call
 * @throws ConsumerAnswerError for an answer with anything else
 */
export function failedIds(text: string, sent: ReadonlySet<string>): ReadonlySet<string> {
  const answer: unknown = text === '' ? null : JSON.parse(text);
  const failures: unknown = isObject(answer) ? (answer['batchItemFailures'] ?? []) : [];
  if (!Array.isArray(failures)) {
    throw new ConsumerAnswerError(
      'batchItemFailures: expected a list of { itemIdentifier }, got something else. Answer the ids of the events that failed.',
    );
  }
  return new Set(
    failures.map((failure: unknown, index) => {
      const id: unknown = isObject(failure) ? failure['itemIdentifier'] : undefined;
      if (typeof id === 'string' && sent.has(id)) return id;
      throw new ConsumerAnswerError(
        `batchItemFailures[${index}].itemIdentifier: expected the id of an event of the call, got ${JSON.stringify(id)}. Answer the ids of the events that failed.`,
      );
    }),
  );
}

/** Makes an error of the payload that Lambda returns for a function that threw. */
export function consumerFailure(text: string): ConsumerFailedError {
  return new ConsumerFailedError(text === '' ? 'it left no message' : text);
}
