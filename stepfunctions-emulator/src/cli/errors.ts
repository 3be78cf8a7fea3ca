import { EmulatorError } from '../errors.ts';

/** A command line that cannot be parsed. */
export class UsageError extends EmulatorError {
  override readonly name = 'UsageError';
}

/** The server cannot be started because of an option: a file, a definition, a port. */
export class StartError extends EmulatorError {
  override readonly name = 'StartError';
}
