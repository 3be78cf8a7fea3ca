/**
 * Whether an error is one of the emulator's, which are for a person to read. It is told by the name of its class: a command
 * that needs no emulator shall not load one.
 */
export function isEmulatorError(error: unknown): error is Error {
  return error instanceof Error && classesOf(error).includes('EmulatorError');
}

function classesOf(value: object): string[] {
  const prototype: object | null = Object.getPrototypeOf(value);
  return prototype === null ? [] : [prototype.constructor.name, ...classesOf(prototype)];
}
