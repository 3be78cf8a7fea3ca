import { InvalidFieldError, PreciseTtlError } from '../../expiry/errors.ts';

/**
 * The errors of the functions. Lambda hands an error's `name` to Step Functions, where `ErrorEquals` in the
 * definition names the same one.
 */

/** The input of an execution is wrong; it fails at once and nothing is swept. */
export class InvalidExecutionInputError extends InvalidFieldError {
  override readonly name = 'InvalidExecutionInputError';
}

/** A function's environment lacks a variable or holds a wrong one: the deployment is broken. */
export class InvalidEnvironmentError extends InvalidFieldError {
  override readonly name = 'InvalidEnvironmentError';
}

/** The settings of a table that an execution carries lack a field or hold a wrong one: the deployment is broken. */
export class InvalidSettingsError extends InvalidFieldError {
  override readonly name = 'InvalidSettingsError';
}

/** DynamoDB's answer does not say when it was made, and no other clock can say what is expired. Nothing is deleted. */
export class DynamoDbDateMissingError extends PreciseTtlError {
  override readonly name = 'DynamoDbDateMissingError';
}

/** DynamoDB is throttling or briefly unavailable; asking again later is right. */
export class DynamoDbBusyError extends PreciseTtlError {
  override readonly name = 'DynamoDbBusyError';
}

/** The journal cannot be read, or holds what nobody has written there: whether a table is paused is not known. Nothing is deleted. */
export class JournalUnreadableError extends PreciseTtlError {
  override readonly name = 'JournalUnreadableError';
}

/** A span of a ledger has more deletions than there is room for. */
export class LedgerTooLongError extends PreciseTtlError {
  override readonly name = 'LedgerTooLongError';
}

/** The journal cannot be written. */
export class JournalUnwritableError extends PreciseTtlError {
  override readonly name = 'JournalUnwritableError';
}
