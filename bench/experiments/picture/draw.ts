import { count, seconds } from '../../report/numbers.ts';
import {
  type Change,
  type Figures,
  RECORDED_SECONDS,
  type Recording,
  SAMPLES_PER_SECOND,
} from './recording.ts';

/** Size of the picture, pixels. */
const WIDTH = 840;
const HEIGHT = 322;
const NOW_X = 230;
const SECOND_WIDE = 6;
const DOT_HIGH = 6;
/** Vertical position of the lowest dots. */
const GROUND = 196;
const FIELD_TOP = 56;
const MARGIN = 24;

const SAMPLES = RECORDED_SECONDS * SAMPLES_PER_SECOND;

/** Dots above each other that are shown from one sample to another. */
interface Stretch {
  readonly x: number;
  readonly from: number;
  readonly to: number;
  readonly height: number;
}

/**
 * Draws a recording as an animated SVG. Each item is a dot that moves towards "now", and becomes a small point when it was seen to be
 * deleted. The picture has other colours on dark pages, and does not move for readers who prefer no motion.
 */
export function drawRecording({ columns, figures }: Recording, about: string): string {
  const stretchesOf = (which: 'there' | 'gone') =>
    columns.flatMap(column => stretches(column[which], column.at * SECOND_WIDE));
  const there = stretchesOf('there');
  const gone = stretchesOf('gone');
  const used = new Set([...there, ...gone].flatMap(({ from, to }) => [from, to]));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img">
<title>${RECORDED_SECONDS} seconds of npm start: sessions are deleted as they expire</title>
<style>${styles(used, figures.length)}</style>
<clipPath id="field"><path d="M1 0H${WIDTH - 1}V${HEIGHT}H1z"/></clipPath>
<rect class="paper" x=".5" y=".5" width="${WIDTH - 1}" height="${HEIGHT - 1}" rx="8"/>
<text class="name" x="${MARGIN}" y="30">$ npm start</text><text class="faint end" x="${WIDTH - MARGIN}" y="30">${about}</text>
${axis()}
<g clip-path="url(#field)"><g class="move"><g transform="translate(${NOW_X})"><g class="gone">${dots(gone)}</g>
<g class="there">${dots(there)}</g></g></g></g>
<path class="now" d="M${NOW_X} ${FIELD_TOP + 4}V${GROUND + 6}"/>
${captions()}
${figures.map((figure, index) => `<g class="t f${index}">${texts(figure)}</g>`).join('\n')}
</svg>
`;
}

function stretches(changes: readonly Change[], x: number): Stretch[] {
  return changes.flatMap(([from, height], index) =>
    height === 0 ? [] : [{ x, from, to: changes[index + 1]?.[0] ?? SAMPLES, height }],
  );
}

/**
 * Draws dots as dashes of length zero. The line is a bit longer than the last dot needs, because it would not be drawn otherwise. Dots that
 * appear and disappear at the same times share a path.
 */
function dots(all: readonly Stretch[]): string {
  return [...Map.groupBy(all, ({ to }) => to)]
    .map(([to, ending]) => {
      const paths = [...Map.groupBy(ending, ({ from }) => from)].map(([from, group]) => {
        const d = group.map(({ x, height }) => `M${x} ${GROUND}v-${(height - 1) * DOT_HIGH}.1`);
        return `<path${from === 0 ? '' : ` class="i${from}"`} d="${d.join('')}"/>`;
      });
      return to === SAMPLES ? paths.join('') : `<g class="o${to}">${paths.join('')}</g>`;
    })
    .join('\n');
}

const LABELS = [-30, 30, 60, 90];

function axis(): string {
  const label = (x: number, text: string, tone: string) =>
    `<text class="${tone} mid" x="${x}" y="${FIELD_TOP}">${text}</text>`;
  const labels = LABELS.map(away =>
    label(NOW_X + away * SECOND_WIDE, away < 0 ? `${-away} s ago` : `in ${away} s`, 'faint'),
  );
  return [label(NOW_X, 'now', 'name'), ...labels].join('');
}

const FIGURES_Y = GROUND + 62;

const PLACES = { left: MARGIN, there: 256, lag: 500 } as const;

function captions(): string {
  const caption = (x: number, text: string) =>
    `<text class="faint" x="${x}" y="${GROUND + 32}">${text}</text>`;
  return [
    caption(PLACES.left, "left at each second's end"),
    caption(PLACES.there, 'native TTL may still have'),
    caption(PLACES.lag, 'from expiry to deletion'),
  ].join('');
}

function texts({ written, expired, overdue, p50, max, deleted, sweep }: Figures): string {
  const big = (x: number, text: string, note = '', tone = 'big') =>
    `<text x="${x}" y="${FIGURES_Y}"><tspan class="${tone}">${text}</tspan><tspan class="faint" dx="8">${note}</tspan></text>`;
  return [
    big(PLACES.left, count(overdue), `of ${count(expired)}`, 'big good'),
    big(PLACES.there, count(expired), '"within a few days"', 'big soon'),
    big(PLACES.lag, max < 0 ? '–' : seconds(max), max < 0 ? '' : `at most, ${seconds(p50)} in the middle`),
    `<text class="faint" x="${MARGIN}" y="${HEIGHT - 22}">${count(written)} written, ${count(deleted)} deleted   ${escaped(sweep)}</text>`,
  ].join('');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

const LIGHT = {
  paper: '#fff',
  edge: '#d0d7de',
  ink: '#1f2328',
  faint: '#59636e',
  dot: '#1b7f79',
  gone: '#9a6700',
  good: '#1a7f37',
  soon: '#9a6700',
};
const DARK: typeof LIGHT = {
  paper: '#0d1117',
  edge: '#30363d',
  ink: '#e6edf3',
  faint: '#9198a1',
  dot: '#39c5bb',
  gone: '#d29922',
  good: '#3fb950',
  soon: '#d29922',
};

function colours(palette: typeof LIGHT): string {
  return `svg{${Object.entries(palette)
    .map(([name, colour]) => `--${name}:${colour}`)
    .join(';')}}`;
}

/** The second that is shown to readers who prefer no motion: many items have expired by then. */
const STILL_SECOND = RECORDED_SECONDS - 4;

function styles(samples: ReadonlySet<number>, frames: number): string {
  const share = (part: number, of: number) => `${Number(((part / of) * 100).toFixed(2))}%`;
  const inner = [...samples]
    .filter(sample => sample > 0 && sample < SAMPLES)
    .sort((one, other) => one - other);
  const names = inner.flatMap(sample => [
    `.i${sample}{animation-name:i${sample}}@keyframes i${sample}{0%{opacity:0}${share(sample, SAMPLES)}{opacity:1}}`,
    `.o${sample}{animation-name:o${sample}}@keyframes o${sample}{${share(sample, SAMPLES)},to{opacity:0}}`,
  ]);
  return `${colours(LIGHT)}@media(prefers-color-scheme:dark){${colours(DARK)}}
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:var(--ink);white-space:pre}
.paper{fill:var(--paper);stroke:var(--edge)}.faint{fill:var(--faint)}.name{font-weight:600}.end{text-anchor:end}.mid{text-anchor:middle}
.big{font-size:28px;font-weight:600}.good{fill:var(--good)}.soon{fill:var(--soon)}
.now{stroke:var(--ink);stroke-width:1.5}
.there,.gone{fill:none;stroke-linecap:round;stroke-dasharray:0 ${DOT_HIGH}}
.there{stroke:var(--dot);stroke-width:4.4}.gone{stroke:var(--gone);stroke-width:2.4}
.move,.t,[class^=i],[class^=o]{animation:0s step-end infinite;animation-duration:${RECORDED_SECONDS}s}
.move{animation-name:move;animation-timing-function:linear}@keyframes move{to{transform:translate(-${RECORDED_SECONDS * SECOND_WIDE}px)}}
.t{visibility:hidden;animation-name:t}.f${frames - 1}{visibility:visible}@keyframes t{0%{visibility:visible}${share(1, frames)},to{visibility:hidden}}
${Array.from({ length: frames }, (_, frame) => `.f${frame}{animation-delay:${frame === 0 ? 0 : frame - RECORDED_SECONDS}s}`).join('')}
${names.join('\n')}
@media(prefers-reduced-motion:reduce){*{animation-play-state:paused!important}.move,[class^=i],[class^=o]{animation-delay:-${STILL_SECOND}s!important}
.t{animation-name:none}.f${frames - 1}{visibility:hidden}.f${STILL_SECOND}{visibility:visible}}`;
}
