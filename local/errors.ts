import { PreciseTtlError } from '../expiry/index.ts';

/**
 * An error that the user can correct in the configuration or the installation. The message says what is wrong and where, what was expected,
 * and what to do. A command prints the message without a stack.
 */
export class LocalCloudError extends PreciseTtlError {
  override readonly name: string = 'LocalCloudError';
}

export class TerraformError extends LocalCloudError {
  override readonly name = 'TerraformError';
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
