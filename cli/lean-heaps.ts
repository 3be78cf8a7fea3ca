import { setFlagsFromString } from 'node:v8';

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
