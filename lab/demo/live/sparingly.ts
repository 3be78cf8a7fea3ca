/** Largest share of the time that displaying may take. */
const SHARE = 0.05;
/** Longest pause between two displays, because somebody watches. */
const LONGEST_MS = 2_000;

/**
 * Calls work less often if it takes long: a large run has many items to count, and its sweep runs in the same process.
 * @param now milliseconds of a clock that nobody sets
 */
export function sparingly<Arguments extends unknown[]>(
  work: (...args: Arguments) => void,
  now: () => number = () => performance.now(),
): (...args: Arguments) => void {
  let next = Number.NEGATIVE_INFINITY;
  return (...args) => {
    const start = now();
    if (start < next) return;
    work(...args);
    next = start + Math.min(LONGEST_MS, (now() - start) / SHARE);
  };
}
