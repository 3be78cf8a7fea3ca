import type { DrillResult } from '../operate/changes.ts';
import { describeDuration } from './duration.ts';
import { count, firstLines } from './numbers.ts';

/** Poisoned lines that are shown. */
const SHOWN = 20;

/** The result of a drill, and the cost of a full restore. */
export function describeDrill(result: DrillResult): string {
  const { lines, restored, objects, poisoned, milliseconds, full } = result;
  return [
    `${count(lines)} lines read, of ${count(objects)} objects`,
    `${count(restored)} restored: each was written, read back and is the same`,
    `${count(poisoned.length)} poisoned`,
    ...firstLines(poisoned, { shown: SHOWN }),
    `It took ${describeDuration(milliseconds)}.`,
    ...(full === undefined
      ? []
      : [
          `All of these dates: about ${count(full.lines)} lines, ${describeDuration(full.seconds * 1000)} at most, $${full.dollars.toFixed(2)} in us-east-1, and as much again for each index.`,
        ]),
  ].join('\n');
}
