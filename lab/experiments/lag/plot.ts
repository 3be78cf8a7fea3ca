import { count } from '../../report/numbers.ts';
import type { Measured } from '../support/live.ts';

/** The compared ways to delete, in the order of the output. */
export const MODES = {
  precise: 'precise-ttl to the second (precisionSeconds: 1)',
  plain: 'precise-ttl once a minute (precisionSeconds: 60)',
  published: 'published algorithm, once a minute',
} as const;

export type Mode = keyof typeof MODES;

/** A lag in milliseconds, and the share (0 to 1) of all items that were deleted with that lag or less. */
export type CumulativePoint = readonly [lagMs: number, share: number];

export interface ModeResult extends Measured {
  readonly mode: Mode;
  /** Share of the expired items that were deleted with at most a lag. */
  readonly cumulative: readonly CumulativePoint[];
}

/** All data of the plot. */
export interface LagResult {
  readonly settings: { readonly minutes: number; readonly rate: number };
  readonly modes: readonly ModeResult[];
}

const SIZE = { width: 860, height: 500 };
/** Start of the lag axis, seconds. Faster deletions are drawn at its left end. */
const FASTEST = 0.05;
const SLOWEST = 200;
/** Values with a label on the axis. ECharts itself labels some powers of ten only. */
const LABELLED = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60, 200];

// The colours differ in hue and in lightness. The background is white in both of GitHub's themes.
const COLORS: Readonly<Record<Mode, string>> = {
  precise: '#0b6e4f',
  plain: '#2f6fde',
  published: '#c2410c',
};
const INK = '#24292f';
const FAINT = '#d0d7de';
const FONT = 'system-ui, -apple-system, Helvetica, Arial, sans-serif';

/** Draws the cumulative share of items that were deleted against how late they were. */
export async function drawLag({ settings, modes }: LagResult): Promise<string> {
  // Imported late: loading it takes a second, which a help text should not wait for.
  const { init } = await import('echarts');
  const chart = init(null, null, { renderer: 'svg', ssr: true, ...SIZE });
  try {
    chart.setOption({
      animation: false,
      backgroundColor: '#ffffff',
      textStyle: { fontFamily: FONT, color: INK },
      title: {
        text: 'How late expired items are deleted',
        subtext: `${count(settings.rate)} items a second for ${settings.minutes} ${settings.minutes === 1 ? 'minute' : 'minutes'}, on one machine with DynamoDB Local`,
        left: 16,
        top: 10,
        textStyle: { fontSize: 17, color: INK },
        subtextStyle: { fontSize: 13, color: '#57606a' },
      },
      legend: {
        data: modes.map(lineName),
        orient: 'vertical',
        top: 62,
        left: 12,
        itemGap: 4,
        itemWidth: 28,
        icon: 'rect',
        itemHeight: 3,
        textStyle: { fontSize: 13, color: INK },
      },
      grid: { left: 84, right: 24, top: 136, bottom: 60, outerBoundsMode: 'none' },
      xAxis: {
        type: 'log',
        min: FASTEST,
        max: SLOWEST,
        name: 'seconds from expiry to deletion (logarithmic)',
        nameLocation: 'middle',
        nameGap: 34,
        nameTextStyle: { fontSize: 13, color: INK },
        axisLabel: { fontSize: 13, color: INK, customValues: LABELLED },
        axisTick: { customValues: LABELLED },
        axisLine: { lineStyle: { color: INK } },
        splitLine: { lineStyle: { color: FAINT } },
      },
      yAxis: {
        type: 'value',
        min: 0,
        max: 100,
        name: 'expired items deleted',
        nameLocation: 'middle',
        nameGap: 56,
        nameTextStyle: { fontSize: 13, color: INK },
        axisLabel: { fontSize: 13, color: INK, formatter: '{value} %' },
        splitLine: { lineStyle: { color: FAINT } },
      },
      series: modes.flatMap(result => [
        {
          type: 'line',
          name: lineName(result),
          data: line(result),
          showSymbol: false,
          lineStyle: { width: 3, color: COLORS[result.mode] },
          itemStyle: { color: COLORS[result.mode] },
        },
        {
          type: 'scatter',
          data: halfGone(result),
          symbolSize: 9,
          itemStyle: { color: COLORS[result.mode], opacity: 1 },
          label: {
            show: true,
            // The two lines of the modes that run once a minute are close together.
            position: result.mode === 'plain' ? 'left' : 'right',
            distance: 8,
            formatter: ({ value }: { value: [number, number] }) => `half within ${value[0].toPrecision(2)} s`,
            fontSize: 13,
            color: COLORS[result.mode],
          },
        },
      ]),
    });
    return `${plain(chart.renderToSVGString())}\n`;
  } finally {
    chart.dispose();
  }
}

function lineName({ mode, left }: ModeResult): string {
  return left === 0 ? MODES[mode] : `${MODES[mode]}: ${count(left)} never deleted`;
}

/** Builds a line from 0 % at the left end to the last deletion's share at the right end: the rest was never deleted. */
function line({ cumulative }: ModeResult): [number, number][] {
  const points = cumulative.map(([lagMs, share]): [number, number] => [
    Math.min(SLOWEST, Math.max(FASTEST, lagMs / 1000)),
    share * 100,
  ]);
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return [];
  return [[FASTEST, 0], [first[0], 0], ...points, [SLOWEST, last[1]]];
}

/** The point at which half of the expired items are deleted; empty when this never happens. */
function halfGone(result: ModeResult): [number, number][] {
  const point = line(result).find(([, share]) => share >= 50);
  return point === undefined ? [] : [point];
}

/** Removes ids and styles that a README does not need and that differ with the number of charts drawn before. */
function plain(svg: string): string {
  return svg
    .replace(/<style[\s\S]*?<\/style>\n?/g, '') // Styles for hovering are removed.
    .replaceAll(/ class="zr\d+-cls-\d+"/g, '')
    .replaceAll(/ ecmeta_\w+="[^"]*"/g, '')
    .replaceAll(/\bzr\d+-/g, '');
}
