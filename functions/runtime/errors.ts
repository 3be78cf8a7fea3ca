import { InvalidFieldError, PreciseTtlError } from '../../expiry/errors.ts';

/** Each class sets its `name`: Lambda passes it to Step Functions, and `ErrorEquals` in the state machine's definition compares it. */

/** The input of an execution is wrong. The execution fails at once, and nothing is swept. */
export class InvalidExecutionInputError extends InvalidFieldError {
  override readonly name = 'InvalidExecutionInputError';
}

/** An environment variable of the function is missing or wrong. */
export class InvalidEnvironmentError extends InvalidFieldError {
  override readonly name = 'InvalidEnvironmentError';
}

export class InvalidSettingsError extends InvalidFieldError {
  override readonly name = 'InvalidSettingsError';
}

/** DynamoDB's answer has no `Date` header. No other clock can decide what is expired, so nothing is deleted. */
export class DynamoDbDateMissingError extends PreciseTtlError {
  override readonly name = 'DynamoDbDateMissingError';
}

/** DynamoDB throttles, or is unavailable for a short time. A later retry may succeed. */
export class DynamoDbBusyError extends PreciseTtlError {
  override readonly name = 'DynamoDbBusyError';
}

/** The journal cannot be read, or has a malformed entry. Nobody then knows whether a table is paused, so nothing is deleted. */
export class JournalUnreadableError extends PreciseTtlError {
  override readonly name = 'JournalUnreadableError';
}

export class JournalUnwritableError extends PreciseTtlError {
  override readonly name = 'JournalUnwritableError';
}

export class TablePausedError extends PreciseTtlError {
  override readonly name = 'TablePausedError';
}
