import { PreciseTtlError } from '../../expiry/errors.ts';

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
