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
