import type { Aged, DashboardReport, TableData } from '../report.ts';
import { element } from './dom.ts';
import { clock, count, duration, isStale, secondsBetween } from './words.ts';

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
  remarks.some(({ id, severity }) => id === 'notKnown' && severity === 'note')
    ? 'not on this machine'
    : 'not known';

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
          `since ${clock(pause.since, now)}, ${pause.until === null ? 'until somebody resumes it' : `until ${clock(pause.until, now)}`}`,
        ],
    [
      'last tick',
      tick === null ? 'none' : clock(tick, now),
      tick === null ? undefined : `${duration(Math.round(secondsBetween(tick, now)))} ago`,
    ] as Row,
  ]);
}

/** The alarms of all tables, those that sound first. */
export function alarmsPanel(report: DashboardReport): HTMLElement {
  const known = report.tables.flatMap(({ alarms }) => (alarms === null ? [] : [alarms]));
  const all = new Map(known.flatMap(({ value }) => value.map(alarm => [alarm.name, alarm] as const)));
  const sounding = [...all.values()].filter(({ state }) => state === 'ALARM');
  const others = Object.entries(Object.groupBy([...all.values()], ({ state }) => state)).filter(
    ([state]) => state !== 'ALARM',
  );
  if (known.length === 0) {
    const unknown = report.tables.every(table => unknownText(table) !== 'not known');
    return panel('Alarms', null, report, unknown ? [row('alarms', 'not on this machine')] : NOT_KNOWN);
  }
  return panel('Alarms', known[0] ?? null, report, [
    ...sounding.map(
      ({ name, since }): Row => [
        name,
        badge('broken', 'ALARM'),
        since === null ? undefined : `since ${clock(since, report.now)}`,
      ],
    ),
    ...(sounding.length === 0 ? [row('sounding', 'none')] : []),
    ...others.map(([state, those = []]): Row => [ALARM_STATES[state] ?? state, count(those.length)]),
  ]);
}

const ALARM_STATES: Readonly<Record<string, string>> = { OK: 'quiet', INSUFFICIENT_DATA: 'without data' };

/** The schedules that start sweeps, replays under way, and dead letters. */
export function machineryPanel(table: TableData, report: DashboardReport): HTMLElement {
  const { name, schedules, open, deadLetters } = table;
  const unknown = unknownText(table);
  const states = { on: 'on', off: 'turned off', missing: 'not there' } as const;
  return panel('Schedules and replays', schedules, report, [
    ...(schedules?.value ?? []).map((each): Row => {
      const short = each.name.startsWith(`${name}-`) ? each.name.slice(name.length + 1) : each.name;
      const state = states[each.state as keyof typeof states] ?? unknown;
      return [short, each.state === 'on' ? state : badge('broken', state)];
    }),
    ...(schedules === null ? [row('schedules', unknown)] : []),
    ['open replays', open === null ? unknown : count(open.value.length)],
    ...(open?.value ?? [])
      .slice(0, 3)
      .map((each): Row => ['', each.name, `since ${clock(each.startedAt, report.now)}`]),
    [
      'dead letters',
      deadLetters === null
        ? unknown
        : deadLetters.value === 0
          ? '0'
          : badge('warnings', count(deadLetters.value)),
    ],
  ]);
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
