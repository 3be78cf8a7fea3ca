import type { DashboardReport, ShownTable, TableData } from '../report.ts';
import { element } from './dom.ts';
import { badge } from './panels.ts';
import { backlogWords, clock, count, duration, secondsBetween, VERDICTS, WHEN_COUNTED } from './words.ts';

interface Column<Of> {
  readonly head: string;
  readonly cell: (of: Of) => Node | string;
  /** Whether the column has text. @default it has numbers, which are aligned */
  readonly isText?: true;
}

/** A table of the page whose first column names its rows. On a narrow page each row becomes a list of names and values. */
function table<Of>(
  caption: string,
  note: string,
  columns: readonly Column<Of>[],
  rows: readonly Of[],
  /** A line below a row. */
  below: (of: Of) => string | null = () => null,
): HTMLElement {
  const kind = ({ isText }: Column<Of>) => (isText ? undefined : 'number');
  const heads = columns.map(column => element('th', { scope: 'col', class: kind(column) }, column.head));
  const cells = (of: Of) =>
    columns.map((column, index) =>
      index === 0
        ? element('th', { scope: 'row' }, column.cell(of))
        : element('td', { class: kind(column), 'data-label': column.head }, column.cell(of)),
    );
  return element(
    'table',
    {},
    element('caption', {}, `${caption} `, element('span', { class: 'note' }, note)),
    element('thead', {}, element('tr', {}, ...heads)),
    element(
      'tbody',
      {},
      ...rows.flatMap(of => {
        const text = below(of);
        const why = element('tr', { class: 'why' }, element('td', { colspan: columns.length }, text));
        return [element('tr', {}, ...cells(of)), ...(text === null ? [] : [why])];
      }),
    ),
  );
}

/** All tables, with their backlog and their last minute. */
export function tablesTable({ tables, shown, now }: DashboardReport): HTMLElement {
  const lastMinute = (fate: 'due' | 'deleted' | 'left') => (each: TableData) =>
    each.lastMinute === null ? '–' : count(each.lastMinute[fate]);
  const columns: readonly Column<TableData>[] = [
    { head: 'Table', isText: true, cell: each => tableLink(each, shown) },
    {
      head: 'State',
      isText: true,
      cell: ({ verdict }) => (verdict === null ? '–' : badge(verdict, VERDICTS[verdict])),
    },
    { head: 'Watermark', cell: ({ journal }) => timeOr(journal?.value.watermark, now) },
    { head: 'Due', cell: lastMinute('due') },
    { head: 'Deleted', cell: lastMinute('deleted') },
    { head: 'Left', cell: lastMinute('left') },
    { head: 'Overdue', cell: each => backlogWords(each, now).value },
  ];
  return table('Tables', 'due, deleted and left: in the last minute with a sweep', columns, tables);
}

const timeOr = (at: string | null | undefined, now: string): string => (at ? clock(at, now) : '–');

function tableLink({ tableName }: TableData, shown: ShownTable): HTMLElement {
  const isShown = tableName === shown.tableName;
  return element(
    'a',
    {
      id: `to-${tableName}`,
      href: `#table=${encodeURIComponent(tableName)}`,
      'aria-current': isShown ? 'true' : undefined,
    },
    tableName,
  );
}

type Sweep = ShownTable['sweeps'][number];

/** The newest sweeps of a table, and why some failed. */
export function sweepsTable({ shown: { sweeps }, now }: DashboardReport): readonly Node[] {
  if (sweeps.length === 0) {
    return [
      element('h3', {}, 'The last sweeps'),
      element(
        'p',
        { class: 'quiet empty' },
        `None has found anything in the last three hours. ${WHEN_COUNTED}`,
      ),
    ];
  }
  const columns: readonly Column<Sweep>[] = [
    { head: 'Began', isText: true, cell: ({ startedAt }) => clock(startedAt, now) },
    { head: 'Kind', isText: true, cell: ({ kind }) => kind },
    {
      head: 'Ended',
      isText: true,
      cell: ({ failure }) => (failure === null ? 'succeeded' : badge('broken', 'failed')),
    },
    {
      head: 'Took',
      cell: ({ startedAt, endedAt }) => duration(Math.round(secondsBetween(startedAt, endedAt))),
    },
    { head: 'Due', cell: ({ counts }) => count(counts.found ?? 0) },
    { head: 'Deleted', cell: ({ counts }) => count(counts.deleted ?? 0) },
    { head: 'Left', cell: ({ counts }) => count(counts.failed ?? 0) },
    {
      head: 'Lag, 99%',
      cell: ({ lagMs }) => (lagMs === null ? '–' : duration(lagMs.p99 / 1000)),
    },
  ];
  const note = 'a tick that had nothing to do is not in it';
  return [table('The last sweeps', note, columns, sweeps, ({ failure }) => failure)];
}
