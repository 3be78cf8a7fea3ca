import { InvalidFieldError, PreciseTtlError } from '../../expiry/errors.ts';

/** Lambda passes an error's `name` to Step Functions, where `ErrorEquals` in the definition uses the same name. */

/** The input of an execution is wrong: it fails at once and nothing is swept. */
export class InvalidExecutionInputError extends InvalidFieldError {
  override readonly name = 'InvalidExecutionInputError';
}

/** The deployment is broken: the functions' environment is wrong, or (InvalidSettingsError) the settings of a table are. */
export class InvalidEnvironmentError extends InvalidFieldError {
  override readonly name = 'InvalidEnvironmentError';
}

export class InvalidSettingsError extends InvalidFieldError {
  override readonly name = 'InvalidSettingsError';
}

/** DynamoDB's answer has no date, and no other clock can decide what is expired. Nothing is deleted. */
export class DynamoDbDateMissingError extends PreciseTtlError {
  override readonly name = 'DynamoDbDateMissingError';
}

/** DynamoDB throttles or is unavailable for a short time; a later retry may succeed. */
export class DynamoDbBusyError extends PreciseTtlError {
  override readonly name = 'DynamoDbBusyError';
}

/** The journal cannot be read, or has a malformed entry: it is unknown whether a table is paused. Nothing is deleted. */
export class JournalUnreadableError extends PreciseTtlError {
  override readonly name = 'JournalUnreadableError';
}

export class JournalUnwritableError extends PreciseTtlError {
  override readonly name = 'JournalUnwritableError';
}

export class TablePausedError extends PreciseTtlError {
  override readonly name = 'TablePausedError';
}
