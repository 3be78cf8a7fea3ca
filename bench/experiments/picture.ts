import { writeFileSync } from 'node:fs';
import { count } from '../../cli/dashboard/words.ts';
import { startDynamoDbLocal } from '../../local/dynamodb/dynamodb-local.ts';
import { loadConfigFile } from '../../stacks/config/config-file.ts';
import type { Moment, Second } from '../demo/live.ts';
import { runMainJob } from '../demo/main-job.ts';
import { seconds } from '../report/numbers.ts';
import { defineExperiment } from './support/experiment.ts';

const FILE = 'bench/results/picture.svg';

/** Length of the animation. The first items expire LEAD_SECONDS after its beginning. */
const SECONDS = 30;
const LEAD_SECONDS = 6;

export default defineExperiment({
  name: 'picture',
  about: `
Runs \`npm start\`, and draws the ${SECONDS} seconds around the first expiries as an SVG that moves: what is in the table, what was seen to be
deleted, and the lag. Writes ${FILE}.`,
  flags: {},
  holds: 'every promise was kept, and the picture is drawn',
  async run({ show, signal }) {
    const moments: Moment[] = [];
    const dynamoDb = await startDynamoDbLocal();
    const { result, violations, doubts } = await runMainJob({
      dynamoDb,
      config: await loadConfigFile(undefined),
      ...{ rate: 20, minutes: 2, seed: 1, signal },
      output: { write: () => undefined },
      show(moment) {
        moments.push(moment);
        show(`recorded ${moments.length} moments`);
      },
    }).finally(() => dynamoDb.stop());
    if (result.verdict === 'kept') writeFileSync(FILE, drawPicture(moments));
    const text = `The verdict of the run: ${result.verdict}`;
    return { text, data: result, problems: [...violations, ...doubts] };
  },
});

const WIDTH = 840;
const HEIGHT = 322;
const NOW_X = 230;
const SECOND_WIDE = 6;
const DOT_HIGH = 6;
const GROUND = 196;
const FIELD_TOP = 56;
const MARGIN = 24;
const CAPTIONS_Y = GROUND + 32;
const FIGURES_Y = GROUND + 62;
const PLACES = { left: MARGIN, there: 256, lag: 500 } as const;

/** Index of the frame that readers who prefer no motion see: near the end, when many items have expired. */
const STILL_SECOND = SECONDS - 4;

/**
 * Draws a run as an animated SVG: each frame shows one second. The picture stands still for readers who prefer no motion.
 * @param moments oldest first
 */
export function drawPicture(moments: readonly Moment[]): string {
  const [first] = moments;
  if (first === undefined) throw new TypeError('expected the moments of a run, got none');
  const start = first.firstTtl - LEAD_SECONDS;
  const frames = Array.from({ length: SECONDS }, (_unused, index) => {
    const at = start + index;
    // The last moment before the frame's second ends; if there is none, the first moment of the run.
    const moment = moments.findLast(({ now }) => now < (at + 1) * 1000) ?? first;
    return `<g class="t f${index}"><g class="move">${dots(moment, at)}</g>${figures(moment)}</g>`;
  });
  const about = `${SECONDS} seconds of a real run: ${first.rate} sessions expire each second`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img">
<title>${SECONDS} seconds of npm start: sessions are deleted as they expire</title>
<style>${STYLES}</style>
<rect class="paper" x=".5" y=".5" width="${WIDTH - 1}" height="${HEIGHT - 1}" rx="8"/>
<text class="name" x="${MARGIN}" y="30">$ npm start</text><text class="faint end" x="${WIDTH - MARGIN}" y="30">${about}</text>
${axis()}
<path class="now" d="M${NOW_X} ${FIELD_TOP + 4}V${GROUND + 6}"/>
${caption('left', "left at each second's end")}${caption('there', 'native TTL may still have')}${caption('lag', 'from expiry to deletion')}
${frames.join('\n')}
</svg>
`;
}

function dots({ seconds: all }: Moment, at: number): string {
  const visible = all.filter(({ ttl }) => {
    const x = NOW_X + (ttl - at) * SECOND_WIDE;
    return x > SECOND_WIDE && x < WIDTH;
  });
  const path = (name: string, height: (second: Second) => number) => {
    const columns = visible.flatMap(second => {
      const x = NOW_X + (second.ttl - at) * SECOND_WIDE;
      // Each dot is a dash of length zero. A dot at the exact end of a line is not drawn, so the line is 0.1 longer.
      return height(second) > 0 ? `M${x} ${GROUND}v-${(height(second) - 1) * DOT_HIGH}.1` : [];
    });
    return `<path class="${name}" d="${columns.join('')}"/>`;
  };
  return path('gone', ({ gone }) => gone) + path('there', ({ there }) => there);
}

function axis(): string {
  const label = (away: number, text: string, tone: string) =>
    `<text class="${tone} mid" x="${NOW_X + away * SECOND_WIDE}" y="${FIELD_TOP}">${text}</text>`;
  const labels = [30, 60, 90].map(away => label(away, `in ${away} s`, 'faint'));
  return [label(-30, '30 s ago', 'faint'), label(0, 'now', 'name'), ...labels].join('');
}

const caption = (place: keyof typeof PLACES, text: string) =>
  `<text class="faint" x="${PLACES[place]}" y="${CAPTIONS_Y}">${text}</text>`;

function figures({ tally: { written, expired, deleted, overdue }, lags, sweep }: Moment): string {
  const big = (place: keyof typeof PLACES, text: string, note: string, tone = '') =>
    `<text x="${PLACES[place]}" y="${FIGURES_Y}"><tspan class="big ${tone}">${text}</tspan><tspan class="faint" dx="8">${note}</tspan></text>`;
  const lag = lags.findLast(span => span !== undefined);
  const inTheMiddle = lag === undefined ? '' : `at most, ${seconds(lag.p50)} in the middle`;
  return [
    big('left', count(overdue), `of ${count(expired)}`, 'good'),
    big('there', count(expired), '"within a few days"', 'soon'),
    big('lag', lag === undefined ? '–' : seconds(lag.max), inTheMiddle),
    `<text class="faint" x="${MARGIN}" y="${HEIGHT - 22}">${count(written)} written, ${count(deleted)} deleted   ${sweep.replaceAll('<', '&lt;')}</text>`,
  ].join('');
}

const LIGHT =
  '--paper:#fff;--edge:#d0d7de;--ink:#1f2328;--faint:#59636e;--dot:#1b7f79;--gone:#9a6700;--good:#1a7f37';
const DARK =
  '--paper:#0d1117;--edge:#30363d;--ink:#e6edf3;--faint:#9198a1;--dot:#39c5bb;--gone:#d29922;--good:#3fb950';
const SHARE = `${Number((100 / SECONDS).toFixed(2))}%`;

const STYLES = `svg{${LIGHT}}@media(prefers-color-scheme:dark){svg{${DARK}}}
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:var(--ink);white-space:pre}
.paper{fill:var(--paper);stroke:var(--edge)}.faint{fill:var(--faint)}.name{font-weight:600}.end{text-anchor:end}.mid{text-anchor:middle}
.big{font-size:28px;font-weight:600}.good{fill:var(--good)}.soon{fill:var(--gone)}
.now{stroke:var(--ink);stroke-width:1.5}
.there,.gone{fill:none;stroke-linecap:round;stroke-dasharray:0 ${DOT_HIGH}}
.there{stroke:var(--dot);stroke-width:4.4}.gone{stroke:var(--gone);stroke-width:2.4}
.move{animation:move 1s linear infinite}@keyframes move{to{transform:translate(-${SECOND_WIDE}px)}}
.t{visibility:hidden;animation:t ${SECONDS}s step-end infinite}@keyframes t{0%{visibility:visible}${SHARE},to{visibility:hidden}}
${Array.from({ length: SECONDS }, (_unused, frame) => `.f${frame}{animation-delay:${frame === 0 ? 0 : frame - SECONDS}s}`).join('')}
@media(prefers-reduced-motion:reduce){.t,.move{animation:none}.f${STILL_SECOND}{visibility:visible}}`;
