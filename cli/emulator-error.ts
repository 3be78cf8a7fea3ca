/**
 * Whether an error is one of the emulator's, whose messages are for the user. It compares the class name, so that commands that
 * need no emulator do not load it.
 */
export function isEmulatorError(error: unknown): error is Error {
  return error instanceof Error && classesOf(error).includes('EmulatorError');
}

function classesOf(value: object): string[] {
  const prototype: object | null = Object.getPrototypeOf(value);
  return prototype === null ? [] : [prototype.constructor.name, ...classesOf(prototype)];
}
