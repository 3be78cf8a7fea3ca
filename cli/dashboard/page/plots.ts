import type { Minute, SweepLag } from '../report.ts';
import { shape } from './dom.ts';
import { key, plot } from './plot.ts';
import { lagScale, timeSpan, upFromZero } from './scales.ts';
import { clock, count, duration, minuteOf, WHEN_COUNTED } from './words.ts';

const MINUTE_MS = 60_000;

/** The lag of each sweep, and the lag from which on an item counts as late. */
export function lagPlot(
  place: HTMLElement,
  lags: readonly SweepLag[],
  lateAfterSeconds: number,
  now: string,
): readonly Node[] {
  const sweeps = lags.map(({ at, p50, p99, max, kind }) => ({
    ...{ kind, at: Date.parse(at), p50: seconds(p50), p99: seconds(p99), max: seconds(max) },
    words: `${clock(at, now)}  ${kind}: p50 ${duration(p50 / 1000)}, p99 ${duration(p99 / 1000)}, latest ${duration(max / 1000)}`,
  }));
  const ticks = sweeps.filter(({ kind }) => kind === 'tick');
  const others = sweeps.filter(({ kind }) => kind !== 'tick');
  const late = sweeps.filter(({ p99 }) => p99 > lateAfterSeconds).length;
  return plot(place, {
    title: 'Lag of deletions',
    legend: [
      key('p99', '99% within'),
      key('p50', 'half within'),
      key('late', `late after ${duration(lateAfterSeconds)}`),
      ...(others.length === 0 ? [] : [key('other', 'replays')]),
    ],
    span: timeSpan(sweeps[0]?.at, Date.parse(now)),
    points: sweeps,
    empty: `No sweep has deleted anything in the last three hours. ${WHEN_COUNTED}`,
    summary: `Lag of deletions: ${count(sweeps.length)} sweeps, ${count(late)} of them with more than 1% later than ${duration(lateAfterSeconds)}`,
    scale: (bottom, top) =>
      lagScale([0.1, lateAfterSeconds * 2, ...sweeps.flatMap(({ p50, p99 }) => [p50, p99])], bottom, top),
    tickText: lagText,
    shapes: (x, y, { left, right }) => [
      shape('line', {
        class: 'late',
        x1: left,
        x2: right,
        y1: y(lateAfterSeconds),
        y2: y(lateAfterSeconds),
      }),
      ...stretches(ticks).flatMap(stretch => {
        const line = (of: 'p50' | 'p99') => stretch.map(each => `${round(x(each.at))},${round(y(each[of]))}`);
        return [
          shape('polygon', {
            class: 'between',
            points: [...line('p99'), ...line('p50').reverse()].join(' '),
          }),
          shape('polyline', { class: 'p50', points: line('p50').join(' ') }),
          shape('polyline', { class: 'p99', points: line('p99').join(' ') }),
          // A single sweep is drawn as a dot, because it makes no line.
          ...(stretch.length > 1
            ? []
            : stretch.map(({ at, p99 }) => shape('circle', { class: 'p99', cx: x(at), cy: y(p99), r: 3 }))),
        ];
      }),
      ...others.map(({ at, p99 }) => shape('circle', { class: 'other', cx: x(at), cy: y(p99), r: 4 })),
    ],
  });
}

/** `10 s`, `1 min`. */
const lagText = (value: number): string => (value === 60 ? '1 min' : duration(value));

/** Smaller lags are drawn as a hundredth of a second. */
const seconds = (ms: number): number => Math.max(0.01, ms / 1000);

const round = (pixels: number): number => Math.round(pixels * 10) / 10;

/** A longer time without a sweep that deleted something is a gap in the line, milliseconds. */
const GAP_MS = 5 * MINUTE_MS;

/** Splits values at gaps. */
function stretches<Timed extends { readonly at: number }>(timed: readonly Timed[]): Timed[][] {
  const all: Timed[][] = [];
  for (const each of timed) {
    const last = all.at(-1);
    const before = last?.at(-1);
    if (last === undefined || before === undefined || each.at - before.at > GAP_MS) all.push([each]);
    else last.push(each);
  }
  return all;
}

const FATES = ['deleted', 'kept', 'notFound', 'left'] as const;
const FATE_WORDS = {
  deleted: 'deleted',
  kept: 'renewed',
  notFound: 'gone already',
  left: 'left',
} as const;

/** The items that were due in each minute, by their fate. */
export function minutePlot(place: HTMLElement, minutes: readonly Minute[], now: string): readonly Node[] {
  const points = minutes.map(minute => ({
    ...{ minute, at: Date.parse(minute.at) },
    words: `${minuteOf(minute.at)}  due ${count(minute.due)}: ${FATES.map(fate => `${FATE_WORDS[fate]} ${count(minute[fate])}`).join(', ')}`,
  }));
  const sum = (of: keyof Omit<Minute, 'at'>) => minutes.reduce((all, minute) => all + minute[of], 0);
  const span = timeSpan(points[0]?.at, Date.parse(now));
  const most = minutes.reduce((highest, { due }) => Math.max(highest, due), 0);
  return plot(place, {
    title: 'Due per minute',
    legend: FATES.filter(fate => fate === 'deleted' || fate === 'left' || sum(fate) > 0).map(fate =>
      key(fate, FATE_WORDS[fate]),
    ),
    ...{ span, points },
    empty: `No sweep has found anything due in the last three hours. ${WHEN_COUNTED}`,
    summary: `Due per minute: ${count(sum('due'))} items in ${count(minutes.length)} minutes, ${count(sum('deleted'))} deleted, ${count(sum('left'))} left`,
    scale: (bottom, top) => upFromZero(most, bottom, top),
    tickText: count,
    shapes: (x, y) =>
      points.flatMap(({ at, minute }) => {
        const [start, end] = [x(at), x(at + MINUTE_MS)];
        const gap = end - start > 4 ? 1.5 : 0;
        let below = 0;
        return FATES.flatMap(fate => {
          const from = below;
          below += minute[fate];
          if (minute[fate] === 0) return [];
          const height = Math.max(1, y(from) - y(below));
          return [
            shape('rect', {
              class: fate,
              x: round(start + gap / 2),
              width: round(end - start - gap),
              y: round(y(from) - height),
              height: round(height),
            }),
          ];
        });
      }),
  });
}
