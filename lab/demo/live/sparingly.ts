/** Share of the time that showing a run may take from running it. */
const SHARE = 0.05;
/** The longest pause: somebody watches. */
const LONGEST_MS = 2_000;

/**
 * Makes work that takes long rarer: a large run has many items to count, and its sweep runs in the same process.
 *
 * @param now milliseconds since some moment
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
