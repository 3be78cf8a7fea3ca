import { MissingPermissionError } from './errors.ts';

/** DynamoDB's name of it, and those of CloudWatch's protocols. */
const DENIED = ['AccessDeniedException', 'AccessDenied', 'AccessDeniedFault'];

/**
 * Makes a call, and names what is missing when it is not allowed.
 *
 * @param action as IAM names it: `dynamodb:DescribeTable`
 * @param resource ARN of what it is done to, or `*`
 * @throws {MissingPermissionError}; every other error as it is
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
