import { PreciseTtlError } from '../expiry/index.ts';

/** An error that the user can correct. The message says what is wrong and, if possible, what to do. */
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
