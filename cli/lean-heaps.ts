import { setFlagsFromString } from 'node:v8';

/** How much more than what is in use V8 lets a heap hold before it cleans it up, percent. */
const GROWING_PERCENT = 40;

/** By how much V8 enlarges the space for new objects each time: not at all, from what starting took. */
const SEMI_SPACE_GROWTH_FACTOR = 1;

/**
 * Keeps the heaps of this process, its threads' among them, close to what is in use. Under load V8 lets a heap grow to four
 * times that, and takes about 100 MB for new objects. It gives the memory back late, or, in a process that has become idle,
 * never. A limit (`--max-old-space-size`) would end the process instead, and `--max-semi-space-size` counts only on the command
 * line of Node, which `npx` writes.
 *
 * V8 reads these flags whenever it has cleaned up a heap, so they count from the next time on.
 */
export function keepHeapsLean(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWING_PERCENT}`);
  setFlagsFromString(`--semi-space-growth-factor=${SEMI_SPACE_GROWTH_FACTOR}`);
}
