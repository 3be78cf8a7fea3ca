import { EmulatorError } from '../errors.ts';

/** This Terraform contains no state machine that can be read, or not without further values. */
export class TerraformError extends EmulatorError {
  override readonly name = 'TerraformError';
}
