import type { Aged, DashboardReport, TableData } from '../report.ts';
import { element } from './dom.ts';
import { clock, duration, isStale, secondsBetween } from './words.ts';

type Row = readonly [name: string, value: Node | string, note?: string | undefined];

/** A box with a heading and names with their values. */
function panel(
  title: string,
  aged: Aged<unknown> | null,
  { now, statusAt }: DashboardReport,
  rows: readonly Row[],
): HTMLElement {
  const age =
    aged !== null && isStale(aged, statusAt)
      ? element('span', { class: 'age' }, `as of ${clock(aged.at, now)}`)
      : null;
  return element(
    'section',
    { class: 'panel' },
    element('h3', {}, title, ' ', age),
    element(
      'dl',
      { class: 'rows' },
      ...rows.map(([name, value, note]) =>
        element(
          'div',
          {},
          element('dt', {}, name),
          element('dd', {}, value),
          note === undefined ? null : element('dd', { class: 'note' }, note),
        ),
      ),
    ),
  );
}

const row = (name: string, value: string): Row => [name, value];

const NOT_KNOWN: readonly Row[] = [['not known', '–']];

/** The text for an unknown value. On this machine some services, such as CloudWatch, may be absent: nothing is wrong then. */
const unknownText = ({ remarks }: TableData): string =>
  remarks.some(({ severity }) => severity === 'note') ? 'not on this machine' : 'not known';

/** The pause of a table, and its ticks. */
export function settingsPanel({ journal }: TableData, report: DashboardReport): HTMLElement {
  const { now } = report;
  const title = 'Pause';
  if (journal === null) return panel(title, null, report, NOT_KNOWN);
  const { pause, tick } = journal.value;
  return panel(title, journal, report, [
    pause === null
      ? ['pause', 'none']
      : [
          'pause',
          badge('warnings', 'paused'),
          `since ${clock(pause.since, now)}, ${pause.until === undefined ? 'until somebody resumes it' : `until ${clock(pause.until, now)}`}`,
        ],
    [
      'last tick',
      tick === null ? 'none' : clock(tick, now),
      tick === null ? undefined : `${duration(Math.round(secondsBetween(tick, now)))} ago`,
    ] as Row,
  ]);
}

/** The alarms of all tables that sound. */
export function alarmsPanel(report: DashboardReport): HTMLElement {
  const known = report.tables.flatMap(({ alarms }) => (alarms === null ? [] : [alarms]));
  if (known.length === 0) {
    const unknown = report.tables.every(table => unknownText(table) !== 'not known');
    return panel('Alarms', null, report, unknown ? [row('alarms', 'not on this machine')] : NOT_KNOWN);
  }
  const sounding = new Map(known.flatMap(({ value }) => value.map(alarm => [alarm.name, alarm] as const)));
  return panel('Alarms', known[0] ?? null, report, [
    ...[...sounding.values()].map(
      ({ name, since }): Row => [
        name,
        badge('broken', 'ALARM'),
        since === null ? undefined : `since ${clock(since, report.now)}`,
      ],
    ),
    ...(sounding.size === 0 ? [row('sounding', 'none')] : []),
  ]);
}

/** The schedule that starts sweeps. */
export function schedulePanel(table: TableData, report: DashboardReport): HTMLElement {
  const { schedule } = table;
  const state = schedule === null ? unknownText(table) : schedule.value ? 'on' : badge('broken', 'off');
  return panel('Schedule', schedule, report, [['each minute', state]]);
}

/** A word with the colour of a verdict, and a sign for people who cannot see the colour. */
export function badge(verdict: 'fine' | 'warnings' | 'broken' | 'unknown', text: string): HTMLElement {
  const signs = { fine: '✓', warnings: '!', broken: '✗', unknown: '?' } as const;
  return element(
    'span',
    { class: `badge ${verdict}` },
    element('span', { 'aria-hidden': 'true' }, signs[verdict]),
    ` ${text}`,
  );
}
