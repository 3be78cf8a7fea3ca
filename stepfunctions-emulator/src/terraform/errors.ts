import { EmulatorError } from '../errors.ts';

/** There is no state machine to be read from this Terraform, or not without more being known. */
export class TerraformError extends EmulatorError {
  override readonly name = 'TerraformError';
}
