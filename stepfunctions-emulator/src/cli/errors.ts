import { EmulatorError } from '../errors.ts';

/** A command line that can't be understood. */
export class UsageError extends EmulatorError {
  override readonly name = 'UsageError';
}

/** The server can't be started with what it was given: a file, a definition, a port. */
export class StartError extends EmulatorError {
  override readonly name = 'StartError';
}
