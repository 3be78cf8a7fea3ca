import { styleText } from 'node:util';
import { count } from '../../cli/dashboard/words.ts';
import type { Millis, Seconds } from '../../statemachine/times.ts';
import type { ExpiredItem, Ledger, Tally } from '../ledger/ledger.ts';
import { clock, seconds as inSeconds, lagPercentiles } from '../report/numbers.ts';

export interface Second {
  readonly ttl: Seconds;
  readonly there: number;
  readonly gone: number;
}

/** Percentiles (milliseconds) of the lags of the items that were deleted in one span of LAG_SPAN_SECONDS. */
interface LagSpan {
  readonly p50: number;
  readonly max: number;
}

interface Standing {
  readonly promisedLagMs: number;
  /** TTLs of the first and the last planned item, epoch seconds. Items with earlier TTLs are the backlog. */
  readonly firstTtl: number;
  readonly lastTtl: number;
  readonly rate: number;
  readonly sweep: string;
  readonly page: string;
}

export interface Moment extends Standing {
  readonly now: Millis;
  readonly seconds: readonly Second[];
  readonly tally: Pick<Tally, 'written' | 'expired' | 'deleted' | 'overdue'>;
  /** Lags of the last LAG_SPANS spans of time, the oldest span first, without the backlog; undefined for a span without deletions. */
  readonly lags: readonly (LagSpan | undefined)[];
}

/** How far ahead a {@link Moment} looks: it also counts the items that will expire within this time. */
const AHEAD_SECONDS = 120;
const LAG_SPAN_SECONDS = 3;
const LAG_SPANS = 20;

function secondsOf(items: readonly ExpiredItem[]): Second[] {
  const seconds = Map.groupBy(items, ({ ttl }) => ttl);
  return [...seconds]
    .map(([ttl, those]) => {
      const there = those.filter(({ deletedAt }) => deletedAt === undefined).length;
      return { ttl, there, gone: those.length - there };
    })
    .sort((one, other) => one.ttl - other.ttl);
}

function lagSpansOf(items: readonly ExpiredItem[], now: number): Moment['lags'] {
  const spanOf = (ms: number) => Math.floor(ms / 1000 / LAG_SPAN_SECONDS);
  const spans = Map.groupBy(items, ({ deletedAt }) => deletedAt && spanOf(deletedAt));
  return Array.from({ length: LAG_SPANS }, (_, index) => {
    const those = spans.get(spanOf(now) - LAG_SPANS + 1 + index) ?? [];
    const { p50, max } = lagPercentiles(those.map(({ ttl, deletedAt = 0 }) => deletedAt - ttl * 1000));
    return p50 === null || max === null ? undefined : { p50, max };
  });
}

export function momentOf(ledger: Pick<Ledger, 'tally' | 'expired'>, standing: Standing, now: number): Moment {
  const items = ledger.expired(now + AHEAD_SECONDS * 1000).filter(({ ttl }) => ttl >= standing.firstTtl);
  const { written, expired, deleted, overdue } = ledger.tally(now);
  const tally = { written, expired, deleted, overdue };
  return { now, seconds: secondsOf(items), tally, lags: lagSpansOf(items, now), ...standing };
}

const MARGIN = 2;
/** Columns of dots in a braille character. A column shows one second. */
const SECONDS_WIDE = 2;
const DOTS_HIGH = 4;
const MAX_ROWS = 5;
/** Maximum number of characters to the right of "now": AHEAD_SECONDS / SECONDS_WIDE. */
const MAX_AHEAD = 60;
const AHEAD_SHARE = 0.7;
const SOON_SECONDS = 10;

/** The bits of the dots in a braille character: the left column, then the right column, each from the bottom to the top. */
const DOTS = [
  [0x40, 0x04, 0x02, 0x01],
  [0x80, 0x20, 0x10, 0x08],
] as const;
const NO_DOT = 0x2800;

const painted = (style: Parameters<typeof styleText>[0]) => (text: string) =>
  styleText(style, text, { validateStream: false });
const faint = painted('gray');
const far = painted('cyan');
const soon = painted('yellow');
const late = painted('red');
const strong = painted('bold');

export function scaleOf(rate: number): { itemsPerDot: number; rows: number } {
  const most = Math.max(1, Math.ceil(rate));
  const itemsPerDot = Math.ceil(most / (MAX_ROWS * DOTS_HIGH));
  return { itemsPerDot, rows: Math.min(MAX_ROWS, Math.ceil(most / itemsPerDot / DOTS_HIGH)) };
}

/**
 * Draws a moment as lines with colours, in which each column of dots shows one second.
 * @param width of the lines with dots, in characters; the lines of text below them need up to 79
 */
export function drawMoment(moment: Moment, width: number): string[] {
  const { tally, rate, sweep, page } = moment;
  const { itemsPerDot } = scaleOf(rate);
  const future = Math.min(MAX_AHEAD, Math.floor((width - MARGIN) * AHEAD_SHARE));
  const past = width - MARGIN - future - 1;
  const each = itemsPerDot === 1 ? 'a session' : `up to ${count(itemsPerDot)} sessions`;
  const lines = [
    faint(axis(past, future)),
    ...fieldRows(moment, past, future),
    `${far('⠿')}${faint(` there: a dot is ${each}`)}   ·${faint(' expired and deleted')}`,
    faint('native TTL, "within a few days", would keep: up to ') + strong(count(tally.expired)),
    countsLine(moment),
    lagLine(moment),
    `${faint('sweep ')}${sweep}   ${faint('look at ')}${page}`,
  ];
  return lines.map(line => ' '.repeat(MARGIN) + line);
}

export function countsLine(moment: Moment): string {
  const { written, expired, deleted, overdue } = moment.tally;
  const isLate = moment.seconds.some(lateAt(moment));
  return (
    `${faint('written ')}${strong(count(written))}${faint('  expired ')}${strong(count(expired))}` +
    `${faint('  deleted ')}${strong(count(deleted))}${faint('  overdue ')}${(isLate ? late : strong)(count(overdue))}` +
    faint(`  ${timeLeft(moment)}`)
  );
}

function lateAt({ now, promisedLagMs }: Moment): (second: Second) => boolean {
  return ({ ttl, there }) => there > 0 && now - ttl * 1000 > promisedLagMs;
}

function timeLeft({ now, firstTtl, lastTtl }: Moment): string {
  const secondsTo = (ttl: number) => Math.ceil(ttl - now / 1000);
  if (secondsTo(firstTtl) > 0) return `first expiry in ${clock(secondsTo(firstTtl))}`;
  return secondsTo(lastTtl) > 0 ? `${clock(secondsTo(lastTtl))} left` : 'last tick';
}

const BARS = '▁▂▃▄▅▆▇█';

/** Draws the lags of the latest deletions as bars. The full height stands for the promised lag; bars of longer lags are red. */
function lagLine({ lags, promisedLagMs }: Moment): string {
  const last = lags.findLast(span => span !== undefined);
  const plot = (which: keyof LagSpan) => {
    const bars = lags.map(span => {
      if (span === undefined) return ' ';
      const height = Math.floor((span[which] / promisedLagMs) * BARS.length);
      return (span[which] > promisedLagMs ? late : far)(BARS.charAt(Math.min(height, BARS.length - 1)));
    });
    return `${bars.join('')} ${strong(last === undefined ? '–' : inSeconds(last[which]))}`;
  };
  return `${faint('lag p50 ')}${plot('p50')}${faint('  max ')}${plot('max')}${faint(`  of ${inSeconds(promisedLagMs)}`)}`;
}

const LABELS = [-120, -90, -60, -30, 0, 30, 60, 90];

function axis(past: number, future: number): string {
  return LABELS.reduce((line, away) => {
    const text = away === 0 ? 'now' : `${away > 0 ? '+' : ''}${away} s`;
    const at = past + away / SECONDS_WIDE - 1;
    const fits = at >= line.length && at + text.length <= past + future + 1;
    return fits ? line.padEnd(at) + text : line;
  }, '');
}

function fieldRows(moment: Moment, past: number, future: number): string[] {
  const { itemsPerDot, rows } = scaleOf(moment.rate);
  const byTtl = new Map(moment.seconds.map(second => [second.ttl, second]));
  const now = Math.floor(moment.now / 1000);
  const isLate = lateAt(moment);
  const character = (place: number, row: number): string => {
    const pair = [1, 2].map(after => {
      const ttl = now + after + place * SECONDS_WIDE;
      return byTtl.get(ttl) ?? { ttl, there: 0, gone: 0 };
    });
    const text = dotsOf(
      pair.map(({ there }) => Math.ceil(there / itemsPerDot)),
      row,
    );
    if (text !== undefined) {
      if (place < 0) return (pair.some(isLate) ? late : soon)(text);
      return (place * SECONDS_WIDE < SOON_SECONDS ? soon : far)(text);
    }
    const gone = pair.reduce((sum, second) => sum + second.gone, 0);
    return gone > row * itemsPerDot * DOTS_HIGH * SECONDS_WIDE ? faint('·') : ' ';
  };
  return Array.from({ length: rows }, (_, fromAbove) => {
    const all = Array.from({ length: past + future }, (_unused, at) =>
      character(at - past, rows - 1 - fromAbove),
    );
    return [...all.slice(0, past), '│', ...all.slice(past)].join('');
  });
}

/** The braille character that shows two seconds in one row; undefined without dots. @param row counted from below */
function dotsOf(heights: readonly number[], row: number): string | undefined {
  const bits = heights.flatMap((height, column) =>
    (DOTS[column] ?? []).filter((_, index) => height > row * DOTS_HIGH + index),
  );
  if (bits.length === 0) return undefined;
  return String.fromCodePoint(bits.reduce((sum, bit) => sum + bit, NO_DOT));
}
