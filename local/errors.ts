import { PreciseTtlError } from '../expiry/index.ts';

/**
 * An error in the local cloud that the user can correct, in the configuration or the installation. The message always says what is wrong
 * and where, what was expected and what to do; a command prints it without a stack.
 */
export class LocalCloudError extends PreciseTtlError {
  override readonly name: string = 'LocalCloudError';
}

/** The synthesized Terraform contains something that cannot be read, or cannot be run correctly. */
export class TerraformError extends LocalCloudError {
  override readonly name = 'TerraformError';
  /** All problems found, one sentence each, so that they can be corrected at once. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(
      problems.length === 1
        ? `${problems[0]}`
        : `${problems.length} problems in the synthesized Terraform:\n${problems.map(p => `  - ${p}`).join('\n')}`,
    );
    this.problems = problems;
  }
}

/** DynamoDB Local can't be started or reached. */
export class DynamoDbLocalError extends LocalCloudError {
  override readonly name = 'DynamoDbLocalError';
}

/** The port is used by another process. */
export class PortInUseError extends LocalCloudError {
  override readonly name = 'PortInUseError';
}

/** A table of the definition and the one at the endpoint don't agree. */
export class TableMismatchError extends LocalCloudError {
  override readonly name = 'TableMismatchError';
}

/** A resource of this name does not exist in this cloud. */
export class NotFoundError extends LocalCloudError {
  override readonly name = 'NotFoundError';
}
