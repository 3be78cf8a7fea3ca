import { EmulatorError } from '../errors.ts';

/** A TestState request that AWS refuses, or that is not supported here. */
export class InvalidTestStateError extends EmulatorError {
  override readonly name = 'InvalidTestStateError';
  /** The API error of AWS's answer. */
  readonly code: 'ValidationException' | 'InvalidDefinition';

  constructor(message: string, code: 'ValidationException' | 'InvalidDefinition' = 'ValidationException') {
    super(message);
    this.code = code;
  }
}
