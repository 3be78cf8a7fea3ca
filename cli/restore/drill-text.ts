import { describeDuration } from '../duration.ts';

/** What a drill has done. */
export interface DrillResult {
  readonly lines: number;
  readonly restored: number;
  readonly objects: number;
  readonly poisoned: readonly string[];
  readonly milliseconds: number;
  readonly writeUnits: number;
}

/** What all objects of the dates would take to restore. */
export interface FullRestore {
  readonly lines: number;
  readonly seconds: number;
  /** In us-east-1, without the table's indexes. */
  readonly dollars: number;
}

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
