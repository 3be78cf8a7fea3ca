/** Base class of this package's errors. Every message names the problem, the place of the problem, the expected value and the remedy. */
export class EmulatorError extends Error {
  override readonly name: string = 'EmulatorError';
}

/** Thrown for an endpoint that is not on this machine. */
export class NotLoopbackError extends EmulatorError {
  override readonly name = 'NotLoopbackError';
}
