export class EmulatorError extends Error {
  override readonly name: string = 'EmulatorError';
}

/** Thrown for an endpoint that is not the plain URL of a host on this machine, such as http://127.0.0.1:8000. */
export class NotLoopbackError extends EmulatorError {
  override readonly name = 'NotLoopbackError';
}
