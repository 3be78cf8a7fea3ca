import { describeDuration } from '../duration.ts';
import type { DrillResult, FullRestore } from './drill.ts';

/** Poisoned lines that are shown. */
const SHOWN = 20;

const count = (amount: number): string => amount.toLocaleString('en-US');

/** What a drill has found, and what a full restore would take. */
export function describeDrill(result: DrillResult, full: FullRestore | undefined): string {
  const { lines, restored, objects, poisoned, milliseconds } = result;
  const more = poisoned.length - SHOWN;
  return [
    `${count(lines)} lines read, of ${count(objects)} objects`,
    `${count(restored)} restored: each was written, read back and is the same`,
    `${count(poisoned.length)} poisoned`,
    ...poisoned.slice(0, SHOWN).map(line => `  ${line}`),
    ...(more > 0 ? [`  and ${count(more)} more: --json FILE has all`] : []),
    `It took ${describeDuration(milliseconds)}.`,
    ...(full === undefined
      ? []
      : [
          `All of these dates: about ${count(full.lines)} lines, ${describeDuration(full.seconds * 1000)} at most, $${full.dollars.toFixed(2)} in us-east-1, and as much again for each index.`,
        ]),
  ].join('\n');
}
