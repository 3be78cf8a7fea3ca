import { PreciseTtlError } from '../expiry/errors.ts';

/** Base class of errors about a field: an option of a function, or a variable of the environment. A command shows its flag instead. */
export class FieldError extends PreciseTtlError {
  override readonly name: string = 'FieldError';
  readonly field: string;
  /** The expected value, the value that was got, and the remedy. */
  readonly detail: string;

  constructor(field: string, detail: string) {
    super(`${field}: ${detail}`);
    this.field = field;
    this.detail = detail;
  }
}

/** An invalid input, such as a table that the configuration does not have, or an endpoint that is not a URL. */
export class InputError extends FieldError {
  override readonly name: string = 'InputError';
}

/** A change that was stopped by an error. `cause` is that error, `result` is what was done before it. */
export class StoppedError extends PreciseTtlError {
  override readonly name = 'StoppedError';
  readonly result: object;

  constructor(result: object, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.result = result;
  }
}

/** The journal of a deployment does not exist: nothing is deployed, or the deployment is in another place. */
export class JournalNotFoundError extends PreciseTtlError {
  override readonly name = 'JournalNotFoundError';
}

/** No state machine has that name. */
export class StateMachineNotFoundError extends PreciseTtlError {
  override readonly name = 'StateMachineNotFoundError';
}

/** The table can't be adopted in its state, or with these options; nothing was changed. */
export class CannotAdoptError extends InputError {
  override readonly name = 'CannotAdoptError';
}

/** An adoption can't continue after it has begun. */
export class AdoptError extends PreciseTtlError {
  override readonly name = 'AdoptError';
}

/** No table has that name. */
export class TableNotFoundError extends PreciseTtlError {
  override readonly name = 'TableNotFoundError';

  constructor(tableName: string, region: string) {
    super(
      `table: expected one that exists in ${region}, got "${tableName}", which does not; check the name (case matters), the ` +
        'region, the account of the credentials and AWS_ENDPOINT_URL_DYNAMODB',
    );
  }
}

/** The credentials do not have a permission that is needed. */
export class MissingPermissionError extends PreciseTtlError {
  override readonly name = 'MissingPermissionError';
  /** Name of the action in IAM: `dynamodb:DescribeTable`. */
  readonly action: string;
  /** ARN, or `*`. */
  readonly resource: string;

  constructor(action: string, resource: string, message: string) {
    super(
      `${action}: expected the permission for it, got AccessDenied; allow the action ${action} on the resource ` +
        `${resource} in IAM (AWS says: ${message})`,
    );
    this.action = action;
    this.resource = resource;
  }
}
