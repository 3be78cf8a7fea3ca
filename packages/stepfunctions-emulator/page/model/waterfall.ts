import type { HistoryModel, Iteration, Line, Visit } from './history.ts';

/** A row of the waterfall: a visit, or the iterations of the Map above it as cells. */
export type Row =
  | { readonly kind: 'visit'; readonly visit: Visit; readonly depth: number; readonly note: string }
  | { readonly kind: 'iterations'; readonly map: Visit; readonly depth: number };

/** Largest number of iterations that are all shown; of more, only a chosen one is shown. */
export const SHOWN_ITERATIONS = 4;

/**
 * The rows of the waterfall.
 *
 * @param chosen the shown iteration of each Map, by the Map's id
 */
export function rowsOf({ root }: HistoryModel, chosen: ReadonlyMap<number, number>): Row[] {
  const rows: Row[] = [];
  const addLine = ({ visits }: Line, depth: number, name: string): void => {
    for (const [position, visit] of visits.entries()) {
      rows.push({ kind: 'visit', visit, depth, note: position === 0 ? name : '' });
      addInside(visit, depth + 1);
    }
  };
  const addInside = (visit: Visit, depth: number): void => {
    if (hasCells(visit)) rows.push({ kind: 'iterations', map: visit, depth });
    for (const { index, line } of shownIterations(visit, chosen)) addLine(line, depth, `#${index}`);
    for (const branch of visit.branches) addLine(branch, depth, `branch ${branch.index + 1}`);
  };
  addLine(root, 0, '');
  return rows;
}

/** Whether a Map is shown as cells; a distributed Map has a cell for each execution. */
export const hasCells = ({ type, iterations, mapRunArn }: Visit): boolean =>
  type === 'Map' && (iterations.length > 1 || mapRunArn !== undefined);

function shownIterations({ id, iterations }: Visit, chosen: ReadonlyMap<number, number>): Iteration[] {
  const begun = iterations.filter(each => each !== undefined);
  if (begun.length <= SHOWN_ITERATIONS) return begun;
  const one = iterations[chosen.get(id) ?? firstOfInterest(iterations)];
  return one === undefined ? [] : [one];
}

/** Index of the first failed iteration, or else of the first one that has begun. */
export function firstOfInterest(iterations: readonly (Iteration | undefined)[]): number {
  const failed = iterations.findIndex(each => each?.outcome === 'failed');
  return failed === -1 ? iterations.findIndex(each => each !== undefined) : failed;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Steps from one time on an axis to the next, milliseconds: whole units, as a person counts. */
const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 20, 30].map(seconds => seconds * SECOND),
  ...[1, 2, 5, 10, 20, 30].map(minutes => minutes * MINUTE),
  ...[1, 2, 6, 12].map(hours => hours * HOUR),
  ...[1, 2, 5, 10, 30, 100].map(days => days * DAY),
];

/**
 * The times that an axis names, milliseconds from its beginning.
 *
 * @param span how long the axis is, milliseconds
 * @param room how many there is room for besides the beginning
 */
export function axisTimes(span: number, room: number): number[] {
  const step = STEPS.find(each => span / each <= room) ?? span;
  return Array.from({ length: Math.floor(span / step) + 1 }, (_none, index) => index * step);
}
