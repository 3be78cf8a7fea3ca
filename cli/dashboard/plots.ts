import { type Html, html } from './html.ts';
import type { Minute, Sweep } from './looks.ts';
import { count } from './words.ts';

/** Height of a drawing, and top and bottom of its plot area, pixels. Horizontal positions are in percent, to fit a page of any width. */
const HEIGHT = 220;
const [TOP, BOTTOM] = [12, 194];
const MINUTE_MS = 60_000;

/** Converts a value to pixels from the top, and says where the axis has its lines. */
interface Scale {
  readonly y: (value: number) => number;
  readonly ticks: readonly (readonly [value: number, text: string])[];
}

const upwards = (value: number, least: number, most: number) =>
  BOTTOM - ((value - least) / (most - least)) * (BOTTOM - TOP);

/** A scale from 0 to a round number at or above `most`. */
export function countScale(most: number): Scale {
  const power = 10 ** Math.floor(Math.log10(Math.max(most / 4, 1)));
  const step = [1, 2, 5, 10].map(each => each * power).find(each => each >= most / 4) ?? power;
  const last = Math.ceil(Math.max(most, 1) / step);
  const ticks = Array.from({ length: last + 1 }, (_unused, index) => index * step);
  return { y: value => upwards(value, 0, last * step), ticks: ticks.map(each => [each, count(each)]) };
}

/** Lags that can label an axis: the seconds, and the text of the label. */
const LAGS = [
  ...([0.01, 0.1, 1, 10] as const).map(each => [each, `${each} s`] as const),
  ...([1, 10] as const).map(each => [each * 60, `${each} min`] as const),
  ...([1, 10, 100, 1_000] as const).map(each => [each * 3_600, `${each} h`] as const),
];

/** A logarithmic scale that begins and ends at one of LAGS, with room for `values` from 0.01 s to 1000 h. @param values seconds */
export function lagScale(values: readonly number[]): Scale {
  const from = LAGS.findLastIndex(([each]) => each <= Math.min(...values));
  const to = LAGS.findIndex(([each]) => each >= Math.max(...values));
  const ticks = LAGS.slice(Math.max(from, 0), to + 1 || undefined);
  const [least, most] = [ticks[0]?.[0] ?? 0.01, ticks.at(-1)?.[0] ?? 1];
  const y = (seconds: number) =>
    upwards(Math.log10(Math.max(seconds, least)), Math.log10(least), Math.log10(most));
  return { y, ticks };
}

/** The spans that a plot can show, each with the distance between two labels of its time axis; both in minutes. */
const SPANS = [
  [15, 5],
  [30, 10],
  [60, 15],
  [180, 60],
] as const;

/** Start, end and labelled times of a plot, epoch milliseconds. Its span is the first of SPANS not below `now - oldest`, or the last. */
export function timeSpan(oldest: number, now: number) {
  const [minutes, step] = SPANS.find(([each]) => each * MINUTE_MS >= now - oldest) ?? [180, 60];
  const to = Math.ceil(now / MINUTE_MS) * MINUTE_MS;
  const from = to - minutes * MINUTE_MS;
  const stepMs = step * MINUTE_MS;
  const first = Math.ceil(from / stepMs) * stepMs;
  const times = Array.from({ length: minutes / step + 1 }, (_unused, index) => first + index * stepMs);
  return { from, to, times: times.filter(time => time <= to) };
}

/** A point of a plot: its time in epoch milliseconds, and the text that describes its values. */
interface Point {
  readonly at: number;
  readonly words: string;
}

interface Plot {
  readonly id: string;
  readonly title: string;
  readonly now: number;
  /** CSS classes, and what their colours stand for. */
  readonly legend: readonly (readonly [name: string, text: string])[];
  /** The points, the oldest first. */
  readonly points: readonly Point[];
  readonly empty: string;
  readonly scale: Scale;
  readonly shapes: (x: (at: number) => number, y: Scale['y']) => readonly Html[];
  readonly summary: string;
}

/** Draws a plot of at most three hours. The dashboard shows the `words` of the point that the pointer or the arrow keys choose. */
function plot({ id, title, legend, points, empty, scale, shapes, summary, now }: Plot): Html {
  const keys = legend.map(
    ([name, text]) => html`<span class="key"><i class="swatch ${name}"></i>${text}</span>`,
  );
  const head = html`<div class="plot-head"><h3>${title}</h3><div class="legend">${keys}</div></div>`;
  const newest = points.at(-1);
  if (newest === undefined) return html`${head}<p class="quiet empty">${empty}</p>`;
  const { from, to, times } = timeSpan(points[0]?.at ?? now, now);
  const x = (at: number) => round((100 * (at - from)) / (to - from));
  const middles = points.slice(1).map(({ at }, index) => (at + (points[index]?.at ?? at)) / 2);
  const chosen = points.map(({ at, words }, index) => {
    const [left, right] = [x(middles[index - 1] ?? from), x(middles[index] ?? to)];
    return html`<g class="point" data-words="${words}"><rect x="${left}%" width="${round(right - left)}%"
      height="${HEIGHT}"/><line x1="${x(at)}%" x2="${x(at)}%" y1="${TOP}" y2="${BOTTOM}"/></g>`;
  });
  return html`${head}<svg id="${id}-plot" class="plot" height="${HEIGHT}" tabindex="0" role="img" aria-label="${summary}">
    ${scale.ticks.map(
      ([value, text]) => html`<line class="grid" x2="100%" y1="${scale.y(value)}" y2="${scale.y(value)}"/>
        <text x="-8" y="${scale.y(value) + 4}" text-anchor="end">${text}</text>`,
    )}
    ${times.map(time => {
      const anchor = x(time) < 5 ? 'start' : x(time) > 95 ? 'end' : 'middle';
      return html`<text x="${x(time)}%" y="${BOTTOM + 18}" text-anchor="${anchor}">${timeOf(time)}</text>`;
    })}
    ${shapes(x, scale.y)}${chosen}</svg>
    <p class="readout" aria-live="polite" data-newest="${newest.words}">${newest.words}</p>`;
}

const round = (value: number): number => Math.round(value * 100) / 100;
/** Hour and minute in UTC, e.g. `12:34`. */
const timeOf = (at: number): string => new Date(at).toISOString().slice(11, 16);
const secondsText = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;

/** Text for users: why the dashboard does not show a running sweep yet. */
export const WHEN_COUNTED = 'A tick is counted when it has ended, up to two minutes after its start.';

/** Draws the lag of each sweep that deleted something, and the promised lag. */
export function lagPlot(sweeps: readonly Sweep[], promisedSeconds: number, now: number): Html {
  const points = sweeps.flatMap(({ endedAt, kind, lagMs }) => {
    if (lagMs === null) return [];
    const { p50, p99, max } = lagMs;
    const words = `${endedAt.slice(11, 19)}  ${kind}: p50 ${secondsText(p50)}, p99 ${secondsText(p99)}, latest ${secondsText(max)}`;
    return [{ at: Date.parse(endedAt), kind, p50: p50 / 1_000, p99: p99 / 1_000, words }];
  });
  const late = points.filter(({ p99 }) => p99 > promisedSeconds).length;
  const replays = points.filter(({ kind }) => kind === 'replay');
  const ticks = points.filter(({ kind }) => kind === 'tick');
  return plot({
    ...{ id: 'lag', title: 'Lag of deletions', now, points },
    legend: [
      ...([
        ['p99', '99% within'],
        ['p50', 'half within'],
        ['promise', `promised ${promisedSeconds} s`],
      ] as const),
      ...(replays.length === 0 ? [] : [['replay', 'replays'] as const]),
    ],
    empty: `No sweep has deleted anything in the last three hours. ${WHEN_COUNTED}`,
    summary: `Lag of deletions: ${count(points.length)} sweeps, ${count(late)} of them with more than 1% later than ${promisedSeconds} s`,
    scale: lagScale([0.1, promisedSeconds * 2, ...points.flatMap(({ p50, p99 }) => [p50, p99])]),
    shapes(x, y) {
      const line = (stretch: typeof ticks, of: 'p50' | 'p99') =>
        stretch.map(each => `${round(10 * x(each.at))},${round(y(each[of]))}`);
      const lines = stretches(ticks).map(stretch => {
        const [p50, p99] = [line(stretch, 'p50'), line(stretch, 'p99')];
        return html`<polygon points="${[...p99, ...p50.toReversed()].join(' ')}"/>
          <polyline class="p50" points="${p50.join(' ')}"/><polyline class="p99" points="${p99.join(' ')}"/>`;
      });
      // A replay is drawn as a dot, and so is a tick that has no other tick within GAP_MS: one point makes no line.
      const dots = [...replays, ...stretches(ticks).flatMap(each => (each.length === 1 ? each : []))];
      const promised = y(promisedSeconds);
      return [
        html`<line class="promise" x2="100%" y1="${promised}" y2="${promised}"/>`,
        html`<svg viewBox="0 0 1000 ${HEIGHT}" width="100%" height="${HEIGHT}" preserveAspectRatio="none">${lines}</svg>`,
        ...dots.map(
          ({ at, p99, kind }) => html`<circle class="${kind}" cx="${x(at)}%" cy="${y(p99)}" r="4"/>`,
        ),
      ];
    },
  });
}

/** Longest time between two shown ticks that a line connects, milliseconds. Ticks that deleted nothing are not shown, so gaps are usual. */
const GAP_MS = 5 * MINUTE_MS;

function stretches<Of extends Point>(points: readonly Of[]): Of[][] {
  const all: Of[][] = [];
  for (const point of points) {
    const last = all.at(-1);
    if (last !== undefined && point.at - (last.at(-1)?.at ?? 0) <= GAP_MS) last.push(point);
    else all.push([point]);
  }
  return all;
}

const FATES = [
  ['deleted', 'deleted'],
  ['renewed', 'renewed'],
  ['notFound', 'gone already'],
  ['left', 'left'],
] as const;

export function minutePlot(minutes: readonly Minute[], now: number): Html {
  const points = minutes.map(minute => {
    const fates = FATES.map(([fate, text]) => `${text} ${count(minute[fate])}`).join(', ');
    const words = `${minute.at.slice(11, 16)}  due ${count(minute.due)}: ${fates}`;
    return { minute, at: Date.parse(minute.at) + MINUTE_MS / 2, words };
  });
  const sum = (of: keyof Omit<Minute, 'at'>) => minutes.reduce((all, minute) => all + minute[of], 0);
  return plot({
    ...{ id: 'minutes', title: 'Due per minute', now, points },
    legend: FATES.filter(([fate]) => fate === 'deleted' || fate === 'left' || sum(fate) > 0),
    empty: `No sweep has found anything due in the last three hours. ${WHEN_COUNTED}`,
    summary: `Due per minute: ${count(sum('due'))} items in ${count(minutes.length)} minutes, ${count(sum('deleted'))} deleted, ${count(sum('left'))} left`,
    scale: countScale(Math.max(0, ...minutes.map(({ due }) => due))),
    shapes: (x, y) =>
      points.flatMap(({ at, minute }) => {
        const [start, end] = [x(at - MINUTE_MS / 2), x(at + MINUTE_MS / 2)];
        let below = 0;
        return FATES.flatMap(([fate]) => {
          const bottom = y(below);
          below += minute[fate];
          if (minute[fate] === 0) return [];
          const height = round(Math.max(1, bottom - y(below)));
          return html`<rect class="${fate}" x="${start}%" width="${round(0.85 * (end - start))}%" y="${round(bottom - height)}" height="${height}"/>`;
        });
      }),
  });
}
