import { MissingPermissionError } from './errors.ts';

/** Names of the error for a missing permission, in DynamoDB and in CloudWatch's protocols. */
const DENIED = ['AccessDeniedException', 'AccessDenied', 'AccessDeniedFault'];

/**
 * Makes a call, and names the missing permission if it is denied.
 *
 * @param action name in IAM: `dynamodb:DescribeTable`
 * @param resource ARN of the resource, or `*`
 * @throws {MissingPermissionError}; every other error unchanged
 */
export async function permitted<Result>(
  action: string,
  resource: string,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Error && DENIED.includes(error.name)) {
      throw new MissingPermissionError(action, resource, error.message);
    }
    throw error;
  }
}
