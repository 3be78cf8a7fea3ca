import { EmulatorError } from '../errors.ts';

/** TestState was asked for something that AWS refuses, or that can't be done here. */
export class InvalidTestStateError extends EmulatorError {
  override readonly name = 'InvalidTestStateError';
  /** The error of the API that AWS answers with. */
  readonly code: 'ValidationException' | 'InvalidDefinition';

  constructor(message: string, code: 'ValidationException' | 'InvalidDefinition' = 'ValidationException') {
    super(message);
    this.code = code;
  }
}
