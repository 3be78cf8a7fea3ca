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

/** A schedule that EventBridge Scheduler would refuse, or that the local scheduler cannot run correctly. */
export class ScheduleError extends LoopbackError {
  override readonly name = 'ScheduleError';
}

/** A resource of this name does not exist in this cloud. */
export class NotFoundError extends LoopbackError {
  override readonly name = 'NotFoundError';
}

/** A file with checkpoints of event source mappings that can't be used. */
export class CheckpointError extends LoopbackError {
  override readonly name = 'CheckpointError';
}

/** @throws {LoopbackError} for a name that is there twice, or that the service refuses */
export function requireNames(
  field: string,
  names: readonly string[],
  { pattern, expected }: { readonly pattern: RegExp; readonly expected: string },
): void {
  const wrong = names.find((name, index) => !pattern.test(name) || names.indexOf(name) !== index);
  if (wrong !== undefined) {
    throw new LoopbackError(
      `${field}: expected different names of ${expected}, got ${JSON.stringify(wrong)}`,
    );
  }
}
