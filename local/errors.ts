import { PreciseTtlError } from '../expiry/index.ts';

/** The user can correct this error: the message says what is wrong and where, what was expected, and what to do. */
export class LocalCloudError extends PreciseTtlError {
  override readonly name: string = 'LocalCloudError';
}

export class TerraformError extends LocalCloudError {
  override readonly name = 'TerraformError';

  constructor(problems: readonly string[]) {
    super(
      problems.length === 1
        ? `${problems[0]}`
        : `${problems.length} problems in the synthesized Terraform:\n${problems.map(p => `  - ${p}`).join('\n')}`,
    );
  }
}
