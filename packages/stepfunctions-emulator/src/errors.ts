/** Base class of this package's errors. A message says what is wrong and where, what was expected and what to do. */
export class EmulatorError extends Error {
  override readonly name: string = 'EmulatorError';
}

/** An endpoint that is not on this machine. */
export class NotLoopbackError extends EmulatorError {
  override readonly name = 'NotLoopbackError';
}
