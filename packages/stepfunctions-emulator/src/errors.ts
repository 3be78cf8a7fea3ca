export class EmulatorError extends Error {
  override readonly name: string = 'EmulatorError';
}

/** The endpoint is not a URL of this computer, or has more than a host and a port. A valid endpoint: http://127.0.0.1:8000. */
export class NotLoopbackError extends EmulatorError {
  override readonly name = 'NotLoopbackError';
}
