import { setFlagsFromString } from 'node:v8';

/** V8's space for new objects would grow to about 100 MB under load. V8 reads this option before the program begins. */
const NEW_OBJECTS = '--max-semi-space-size';
const NEW_OBJECTS_MB = 4;

/**
 * Restarts this program in the same process. Does nothing if the size is set already, and on Windows and before Node 22.15, which cannot
 * replace a process: there the program takes more memory.
 */
export function restartWithSmallNewSpace(): void {
  const { execArgv, argv, execPath, env, platform } = process;
  const isSet = [...execArgv, env['NODE_OPTIONS'] ?? ''].some(flags => flags.includes(NEW_OBJECTS));
  if (isSet || platform === 'win32' || typeof process.execve !== 'function') return;
  process.execve(execPath, [execPath, `${NEW_OBJECTS}=${NEW_OBJECTS_MB}`, ...execArgv, ...argv.slice(1)]);
}

/** V8 lets a heap grow by so many percent beyond the memory in use before it collects garbage. */
const GROWING_PERCENT = 40;

/**
 * Keeps the heaps of this process and its threads close to the memory in use. Under load V8 lets a heap grow to four times that size. V8
 * returns the memory late, or never if the process becomes idle. A limit (`--max-old-space-size`) would end the process instead.
 *
 * V8 reads this flag after each garbage collection, so it takes effect from the next one on.
 */
export function keepHeapsLean(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWING_PERCENT}`);
}
