import type { Aged, DashboardReport, Minute, SweepLag, TableData } from '../report.ts';
import { element } from './dom.ts';
import {
  backlogWords,
  clock,
  count,
  duration,
  goneSentence,
  isStale,
  minuteOf,
  secondsBetween,
} from './words.ts';

/** The most important figures of a table, and its problems. */
export function tableHead(table: TableData, data: DashboardReport): readonly (Node | null)[] {
  const { tableName, remarks } = table;
  // The panels show what is not known on this machine.
  const told = remarks.filter(({ severity }) => severity !== 'note');
  const items = told.map(({ severity, text }) =>
    element('li', { class: severity }, element('b', {}, severity), ` ${text}`),
  );
  return [
    element('h2', {}, tableName),
    data.tables.length > 1 ? element('p', { class: 'sentence' }, goneSentence(table, data.now)) : null,
    element('div', { class: 'tiles' }, ...tiles(table, data)),
    items.length === 0 ? null : element('ul', { class: 'remarks', 'aria-label': 'What is wrong' }, ...items),
  ];
}

interface Tile {
  readonly name: string;
  readonly value: string;
  readonly note: string;
  /** The value with its age, if it is not current. */
  readonly aged?: Aged<unknown> | null;
  readonly tone?: 'warn' | 'bad' | undefined;
}

function tiles(table: TableData, { now, statusAt, shown }: DashboardReport): HTMLElement[] {
  const { journal, overdue, lastMinute, lateAfterSeconds } = table;
  const watermark = journal?.value.watermark ?? null;
  const backlog = backlogWords(table, now);
  const oldest = overdue?.value.oldest ?? null;
  const lateness =
    oldest === null || overdue === null ? Number.POSITIVE_INFINITY : secondsBetween(oldest, overdue.at);
  const hasBacklog = backlog.value !== '0' && backlog.value !== '–';
  const isBehind = hasBacklog && lateness > lateAfterSeconds;
  const all: readonly Tile[] = [
    {
      ...{ name: 'Watermark', note: 'the ticks have left nothing up to then', aged: journal },
      value: watermark === null ? '–' : clock(watermark, now),
    },
    {
      ...{ name: 'Overdue', ...backlog, aged: overdue, tone: isBehind ? 'warn' : undefined },
      ...(hasBacklog && !isBehind && { note: 'expired a moment ago; not late yet' }),
    },
    lastMinuteTile(lastMinute),
    lagTile(shown.lags.at(-1), lateAfterSeconds),
  ];
  return all.map(({ name, value, note, aged = null, tone = '' }) => {
    const isOld = aged !== null && isStale(aged, statusAt);
    return element(
      'div',
      { class: `panel tile ${tone}` },
      element(
        'h3',
        {},
        `${name} `,
        isOld ? element('span', { class: 'age' }, `as of ${clock(aged.at, now)}`) : null,
      ),
      element('p', { class: 'value' }, value),
      element('p', { class: 'note' }, note),
    );
  });
}

function lastMinuteTile(minute: Minute | null): Tile {
  const name = 'Last minute';
  if (minute === null)
    return { name, value: '–', note: 'no sweep of the last three hours that has ended found anything' };
  const { due, deleted, kept, left, at } = minute;
  const others = kept === 0 ? '' : `${count(kept)} renewed, `;
  return {
    ...{ name, value: `${count(deleted)} of ${count(due)}` },
    note: `deleted of what was due, ${others}${count(left)} left; due at ${minuteOf(at)}`,
    tone: left > 0 ? 'bad' : undefined,
  };
}

function lagTile(lag: SweepLag | undefined, lateAfterSeconds: number): Tile {
  const name = 'Lag, 99%';
  const late = `late after ${duration(lateAfterSeconds)}`;
  if (lag === undefined) return { name, value: '–', note: late };
  return {
    ...{
      name,
      value: duration(lag.p99 / 1000),
      note: `${late}; the latest item ${duration(lag.max / 1000)}`,
    },
    tone: lag.p99 / 1000 > lateAfterSeconds ? 'warn' : undefined,
  };
}
