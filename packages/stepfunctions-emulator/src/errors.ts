/** Base class of this package's errors. A message names the problem, its place, the expected value and the remedy. */
export class EmulatorError extends Error {
  override readonly name: string = 'EmulatorError';
}

/** An endpoint that is not on this machine. */
export class NotLoopbackError extends EmulatorError {
  override readonly name = 'NotLoopbackError';
}
