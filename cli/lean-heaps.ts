import { setFlagsFromString } from 'node:v8';

/** V8 would take about 100 MB for new objects under load. It reads this before the program begins. */
const NEW_OBJECTS = '--max-semi-space-size';
const NEW_OBJECTS_MB = 4;

/**
 * Starts this program again in its place, with little space for new objects: the same process, from its beginning. Does
 * nothing where the space is set already, nor on Windows and before Node 22.15, which cannot replace a process: there it takes
 * more memory.
 */
export function restartWithSmallNewSpace(): void {
  const { execArgv, argv, execPath, env, platform } = process;
  const isSet = [...execArgv, env['NODE_OPTIONS'] ?? ''].some(flags => flags.includes(NEW_OBJECTS));
  if (isSet || platform === 'win32' || typeof process.execve !== 'function') return;
  process.execve(execPath, [execPath, `${NEW_OBJECTS}=${NEW_OBJECTS_MB}`, ...execArgv, ...argv.slice(1)]);
}

/** How much more than what is in use V8 lets a heap hold before it cleans it up, percent. */
const GROWING_PERCENT = 40;

/**
 * Keeps the heaps of this process, its threads' among them, close to what is in use. Under load V8 lets a heap grow to four
 * times that. It gives the memory back late, or, in a process that has become idle, never. A limit (`--max-old-space-size`)
 * would end the process instead.
 *
 * V8 reads this flag whenever it has cleaned up a heap, so it counts from the next time on.
 */
export function keepHeapsLean(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWING_PERCENT}`);
}
