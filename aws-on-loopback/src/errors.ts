import { EmulatorError } from 'stepfunctions-emulator/loopback';

/**
 * An error that the user can correct, in the configuration or the installation. The message says what is wrong and where, what was
 * expected and what to do.
 */
export class LoopbackError extends EmulatorError {
  override readonly name: string = 'LoopbackError';
}

/** DynamoDB Local can't be started or reached. */
export class DynamoDbLocalError extends LoopbackError {
  override readonly name = 'DynamoDbLocalError';
}

/** The port is used by another process. */
export class PortInUseError extends LoopbackError {
  override readonly name = 'PortInUseError';
}

/** A table of the definition and the one at the endpoint don't agree. */
export class TableMismatchError extends LoopbackError {
  override readonly name = 'TableMismatchError';
}

/** A resource of this name does not exist in this cloud. */
export class NotFoundError extends LoopbackError {
  override readonly name = 'NotFoundError';
}
