import { styleText } from 'node:util';
import { clock, count, seconds as inSeconds } from '../../report/numbers.ts';
import type { LagSpan, Moment, Second } from './moment.ts';

/** The meaning of a piece of a line, which decides its colour. */
export type Tone = 'plain' | 'faint' | 'far' | 'soon' | 'late' | 'strong';

export interface Piece {
  readonly text: string;
  readonly tone: Tone;
}

export type Line = readonly Piece[];

const MARGIN = 2;
/** Columns of dots in a character, one for each second. */
const SECONDS_WIDE = 2;
const DOTS_HIGH = 4;
const MAX_ROWS = 5;
/** Most characters to the right of "now": two minutes, as far as a tick reads ahead. */
const MAX_AHEAD = 60;
/** Share of the width to the left of "now", where expired items are. */
const BEHIND_SHARE = 0.3;
/** Items that expire in less than this are about to go. */
const SOON_SECONDS = 10;

/** The bits of a braille character for its left and its right column, each from below. */
const DOTS = [
  [0x40, 0x04, 0x02, 0x01],
  [0x80, 0x20, 0x10, 0x08],
] as const;
const NO_DOT = 0x2800;
const GONE = '·';

/** Items for each dot, and rows of characters. */
export interface Scale {
  readonly itemsPerDot: number;
  readonly rows: number;
}

export function scaleOf(rate: number): Scale {
  const most = Math.max(1, Math.ceil(rate));
  const itemsPerDot = Math.ceil(most / (MAX_ROWS * DOTS_HIGH));
  const rows = Math.min(MAX_ROWS, Math.ceil(most / itemsPerDot / DOTS_HIGH));
  return { itemsPerDot, rows };
}

/**
 * Draws a moment as lines of at most `width` columns. To the right of "now" are the items that will expire, as a column of dots for each
 * second. To the left are the items that have expired: small points after their deletion, and dots while the sweep is late.
 */
export function drawMoment(moment: Moment, width: number): Line[] {
  const scale = scaleOf(moment.rate);
  const ahead = Math.min(MAX_AHEAD, Math.floor((width - MARGIN) * (1 - BEHIND_SHARE)));
  const field = { behind: width - MARGIN - ahead - 1, ahead };
  return [
    axis(field),
    ...fieldRows(moment, scale, field),
    ...flowed(legend(moment, scale), width),
    fitted(countsLine(moment), width),
    fitted(lagLine(moment), width),
    ...flowed(sweepParts(moment), width),
  ];
}

const plain = (text: string): Piece => ({ text, tone: 'plain' });
const faint = (text: string): Piece => ({ text, tone: 'faint' });
const strong = (text: string): Piece => ({ text, tone: 'strong' });

/** The legend; none of its entries is broken across lines. */
export function legend({ tally, rate }: Moment, { itemsPerDot } = scaleOf(rate)): Line[] {
  const each = itemsPerDot === 1 ? 'a session' : `up to ${count(itemsPerDot)} sessions`;
  const { expired } = tally;
  return [
    [{ text: '⠿', tone: 'far' }, faint(` there: a dot is ${each}`)],
    [plain(GONE), faint(' expired and deleted')],
    [
      faint('native TTL, "within a few days", would keep: '),
      strong(expired === 0 ? '0' : `up to ${count(expired)}`),
    ],
  ];
}

export function countsLine(moment: Moment): Line {
  const { written, expired, deleted, overdue } = moment.tally;
  return [
    faint('written '),
    strong(count(written)),
    faint('  expired '),
    strong(count(expired)),
    faint('  deleted '),
    strong(count(deleted)),
    faint('  overdue '),
    { text: count(overdue), tone: isLate(moment) ? 'late' : 'strong' },
    faint(`  ${timeLeft(moment)}`),
  ];
}

/** Whether an item is still in the table after its deadline. */
function isLate({ seconds, now, promisedLagMs }: Moment): boolean {
  return seconds.some(lateAt(now, promisedLagMs));
}

function lateAt(now: number, promisedLagMs: number): (second: Second) => boolean {
  return ({ ttl, there }) => there > 0 && now - ttl * 1000 > promisedLagMs;
}

function timeLeft({ now, firstTtl, lastTtl }: Moment): string {
  const secondsTo = (ttl: number) => Math.ceil(ttl - now / 1000);
  if (secondsTo(firstTtl) > 0) return `first expiry in ${clock(secondsTo(firstTtl))}`;
  return secondsTo(lastTtl) > 0 ? `${clock(secondsTo(lastTtl))} left` : 'last tick';
}

const BARS = '▁▂▃▄▅▆▇█';

/** Bars of the lag of the latest deletions; the highest possible bar is the promised lag. */
export function lagLine({ lags, promisedLagMs }: Moment): Line {
  const bars = (which: keyof LagSpan): Line =>
    lags.map(span => {
      if (span === undefined) return { text: ' ', tone: 'plain' } as const;
      const height = Math.floor((span[which] / promisedLagMs) * BARS.length);
      const bar = BARS[Math.min(height, BARS.length - 1)] ?? '';
      return { text: bar, tone: span[which] > promisedLagMs ? 'late' : 'far' } as const;
    });
  const last = lags.findLast(span => span !== undefined);
  const value = (which: keyof LagSpan) => (last === undefined ? '–' : inSeconds(last[which]));
  return [
    faint('lag p50 '),
    ...bars('p50'),
    strong(` ${value('p50')}`),
    faint('  max '),
    ...bars('max'),
    strong(` ${value('max')}`),
    faint(`  of ${inSeconds(promisedLagMs)}`),
  ];
}

export function sweepParts({ sweep, page }: Moment): Line[] {
  const words = sweep.map((part, index) => [...(index === 0 ? [faint('sweep ')] : []), plain(part)]);
  return page === undefined ? words : [...words, [faint('look at '), plain(page)]];
}

interface Field {
  /** Characters to the left of "now", for expired items; those to its right are `ahead`. */
  readonly behind: number;
  readonly ahead: number;
}

const NOW = 'now';
const LABEL_SECONDS = 30;

/** The line of times above the dots. */
function axis({ behind, ahead }: Field): Line {
  const labels = [{ at: MARGIN + behind - 1, text: NOW }];
  for (let away = LABEL_SECONDS; away < Math.max(ahead, behind) * SECONDS_WIDE; away += LABEL_SECONDS) {
    const distance = away / SECONDS_WIDE;
    if (distance + 2 <= behind) labels.push({ at: MARGIN + behind - distance - 1, text: `-${away} s` });
    if (distance + 4 <= ahead) labels.push({ at: MARGIN + behind + distance - 1, text: `+${away} s` });
  }
  let line = '';
  for (const { at, text } of labels.sort((one, other) => one.at - other.at)) {
    if (at > line.length) line = `${line.padEnd(at)}${text}`;
  }
  return [faint(line)];
}

function fieldRows(moment: Moment, { itemsPerDot, rows }: Scale, { behind, ahead }: Field): Line[] {
  const byTtl = new Map(moment.seconds.map(second => [second.ttl, second]));
  const now = Math.floor(moment.now / 1000);
  const at = (ttl: number): Second => byTtl.get(ttl) ?? { ttl, there: 0, gone: 0 };
  const isLateNow = lateAt(moment.now, moment.promisedLagMs);
  const dots = ({ there }: Second) => Math.ceil(there / itemsPerDot);
  const pairOf = (place: number) => {
    const first = now + 1 + place * SECONDS_WIDE;
    return [at(first), at(first + 1)] as const;
  };
  const character = (place: number, row: number): Piece => {
    const pair = pairOf(place);
    const text = dotsOf(dots(pair[0]), dots(pair[1]), row);
    if (place >= 0) return { text: text ?? ' ', tone: place * SECONDS_WIDE < SOON_SECONDS ? 'soon' : 'far' };
    if (text !== undefined) return { text, tone: pair.some(isLateNow) ? 'late' : 'soon' };
    const gone = (pair[0].gone + pair[1].gone) / (itemsPerDot * DOTS_HIGH * SECONDS_WIDE);
    return { text: gone > row ? GONE : ' ', tone: 'faint' };
  };
  return Array.from({ length: rows }, (_, fromAbove) => {
    const row = rows - 1 - fromAbove;
    const pieces = (from: number, length: number) =>
      Array.from({ length }, (_unused, index) => character(from + index, row));
    return joined([plain(' '.repeat(MARGIN)), ...pieces(-behind, behind), plain('│'), ...pieces(0, ahead)]);
  });
}

/** The character for two columns in a row of the drawing, counted from below; undefined if it has no dot. */
function dotsOf(left: number, right: number, row: number): string | undefined {
  const bits = [left, right].flatMap((height, column) =>
    (DOTS[column] ?? []).filter((_, index) => height > row * DOTS_HIGH + index),
  );
  if (bits.length === 0) return undefined;
  return String.fromCodePoint(bits.reduce((sum, bit) => sum + bit, NO_DOT));
}

/** Joins neighbouring pieces of the same tone. */
function joined(line: Line): Line {
  const pieces: Piece[] = [];
  for (const piece of line) {
    const last = pieces.at(-1);
    if (last?.tone === piece.tone) pieces[pieces.length - 1] = { ...last, text: last.text + piece.text };
    else pieces.push(piece);
  }
  return pieces;
}

const GAP = '   ';

/** Puts parts beside each other, and begins a further line when one is full. */
function flowed(parts: readonly Line[], width: number): Line[] {
  const lines: Piece[][] = [];
  for (const part of parts) {
    const current = lines.at(-1);
    if (current !== undefined && lengthOf(current) + GAP.length + lengthOf(part) <= width - MARGIN) {
      current.push(plain(GAP), ...part);
    } else lines.push([...part]);
  }
  return lines.map(line => fitted(line, width));
}

/** Indents a line by the margin, and cuts it at the width of the terminal. */
function fitted(line: Line, width: number): Line {
  let room = width;
  return joined([plain(' '.repeat(MARGIN)), ...line]).map(({ text, tone }) => {
    const shown = text.slice(0, Math.max(0, room));
    room -= shown.length;
    return { text: shown, tone };
  });
}

function lengthOf(line: Line): number {
  return line.reduce((total, { text }) => total + text.length, 0);
}

const STYLES: Readonly<Record<Tone, Parameters<typeof styleText>[0]>> = {
  plain: 'reset',
  faint: 'gray',
  far: 'cyan',
  soon: 'yellow',
  late: 'red',
  strong: 'bold',
};

/** A line as a terminal shows it. @param colours whether it has any */
export function paint(line: Line, colours: boolean): string {
  return line
    .map(({ text, tone }) =>
      colours && tone !== 'plain' ? styleText(STYLES[tone], text, { validateStream: false }) : text,
    )
    .join('');
}
