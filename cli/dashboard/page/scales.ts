/** Converts a value to a position on an axis, and says where the axis has its lines. */
export interface Scale {
  readonly at: (value: number) => number;
  readonly ticks: readonly number[];
}

/** A linear scale with `from` on the left and `to` on the right. */
export function linear(
  from: number,
  to: number,
  [start, end]: readonly [number, number],
): (value: number) => number {
  const span = to - from || 1;
  return value => start + ((value - from) / span) * (end - start);
}

/** A linear scale from 0 at the bottom to a round number at or above a value. */
export function upFromZero(most: number, bottom: number, top: number): Scale {
  const step = roundStep(Math.max(most, 1) / 4);
  const last = Math.ceil(Math.max(most, 1) / step);
  const ticks = Array.from({ length: last + 1 }, (_unused, index) => index * step);
  return { at: linear(0, last * step, [bottom, top]), ticks };
}

/** The next of 1, 2, 5, 10, 20, …, because numbers of items are whole. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  return [1, 2, 5, 10].map(each => each * power).find(each => each >= least) ?? power * 10;
}

/** Seconds that the axis of lags can name: lags range from a tenth of a second to half a day. */
const LAGS = [0.01, 0.1, 1, 10, 60, 600, 3_600, 36_000, 360_000, 3_600_000] as const;

/** A logarithmic axis of seconds, from a named lag below all values to one above them. */
export function lagScale(values: readonly number[], bottom: number, top: number): Scale {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const from = LAGS.findLast(each => each <= least) ?? LAGS[0];
  const to = LAGS.find(each => each >= most && each > from) ?? most;
  const place = linear(Math.log10(from), Math.log10(to), [bottom, top]);
  return {
    at: seconds => place(Math.log10(Math.max(seconds, from))),
    ticks: LAGS.filter(each => each >= from && each <= to),
  };
}

const MINUTE_MS = 60_000;

/** Possible widths of a plot, minutes. */
const SPANS = [15, 30, 60, 180] as const;

/** Possible distances of two times on the axis, minutes. */
const STEPS = [1, 2, 5, 10, 15, 30, 60] as const;

/** Start and end of a plot, epoch milliseconds: the shortest span that contains everything. */
export function timeSpan(oldest: number | undefined, now: number): readonly [number, number] {
  const needed = oldest === undefined ? 0 : (now - oldest) / MINUTE_MS;
  const minutes = SPANS.find(each => each >= needed) ?? SPANS[SPANS.length - 1] ?? 180;
  const to = Math.ceil(now / MINUTE_MS) * MINUTE_MS;
  return [to - minutes * MINUTE_MS, to];
}

/** The times that an axis names, epoch milliseconds. @param room how many fit on it */
export function timeTicks([from, to]: readonly [number, number], room: number): number[] {
  const minutes = (to - from) / MINUTE_MS;
  const stepMs = (STEPS.find(each => minutes / each <= room) ?? 60) * MINUTE_MS;
  const first = Math.ceil(from / stepMs) * stepMs;
  return Array.from(
    { length: Math.floor((to - first) / stepMs) + 1 },
    (_unused, index) => first + index * stepMs,
  );
}
