import { clearScreenDown, cursorTo } from 'node:readline';
import type { OpenExecution } from '../../operate/changes.ts';
import { type Checked, seenOf } from '../../operate/deployment/check.ts';
import type { Subject } from '../../operate/deployment/subject.ts';
import {
  clockTime,
  describeOutcome,
  describePause,
  describeSweepLine,
  OUTCOME_COUNTS,
  type Sweep,
  type SweepOutcome,
  utc,
} from '../../operate/deployment/sweep.ts';
import type { HistoryReport, TableHistory } from '../../operate/history/report.ts';
import type { OverdueLook } from '../../operate/status/overdue.ts';
import type { Verdict } from '../../operate/status/report.ts';
import type { Status, TableStatus } from '../../operate/status/status.ts';
import { scheduleState, shownKey } from '../../operate/status/to-report.ts';
import { duration } from '../../operate/times.ts';
import type { ItemKey } from '../../statemachine/contract/keys.ts';
import { count } from '../numbers.ts';
import { printable, shortKey, shownOn } from '../print.ts';

/** A history as text for a person, newest first. */
export function describeHistory({ tables, since }: HistoryReport): string {
  return tables.map(table => describeTableHistory(table, new Date(since))).join('\n\n');
}

function describeTableHistory({ tableName, sweeps }: TableHistory, since: Date): string {
  return [
    `Table ${tableName}, since ${utc(since)}`,
    ...(sweeps.length === 0 ? ['  none'] : sweeps.flatMap(describeSweep).map(line => `  ${line}`)),
    `  ${describeTotals(sweeps)}`,
  ].join('\n');
}

function describeSweep(sweep: TableHistory['sweeps'][number]): string[] {
  return [
    // Compared with a date in 1970 no sweep is from today, so that each line shows its date.
    describeSweepLine(sweep, new Date(0)),
    ...(sweep.failure === null ? [] : [`    ${sweep.name}: ${sweep.failure}`]),
    ...sweep.failedKeys.map(({ key = 'a key', reason }) => `    not deleted: ${shortKey(key)} (${reason})`),
  ];
}

function describeTotals(sweeps: TableHistory['sweeps']): string {
  const statuses = Object.entries(Object.groupBy(sweeps, ({ status }) => status));
  const how = statuses.map(([status, { length } = []]) => `${count(length ?? 0)} ${status}`).join(', ');
  const sum = (name: (typeof OUTCOME_COUNTS)[number]) =>
    sweeps.reduce((all, { outcome }) => all + outcome[name], 0);
  const total = Object.fromEntries(OUTCOME_COUNTS.map(name => [name, sum(name)]));
  const executions = `${count(sweeps.length)} ${sweeps.length === 1 ? 'execution' : 'executions'}`;
  return `${executions}${how && ` (${how})`}: ${describeOutcome({ ...total, lagMs: null } as SweepOutcome)}`;
}

/** Sweeps that are shown for each table. */
const SHOWN_SWEEPS = 5;
const SHOWN_OPEN = 3;
/** Keys of overdue items that are shown. */
const SHOWN_KEYS = 3;

/** A status as text for a person. */
export function describeStatus({ tables, region, isLocal, at, verdict }: Status): string {
  const place = isLocal ? 'on this machine' : `in ${region}`;
  return [
    ...tables.map(table => describeTable(table, place, new Date(at))),
    `${VERDICTS[verdict]}. What each line means: docs/operate.md`,
  ].join('\n\n');
}

/** The status of a table on one line, for `--watch` without a terminal. */
export function describeBriefly({ subject, seen, judged }: TableStatus, now: Date): string {
  const open = seenOf(seen.open)?.length;
  const first = judged.cause ?? judged.remarks.find(({ severity }) => severity !== 'note');
  return [
    `${clockTime(now, now)}  ${subject.props.tableName}: ${VERDICTS[judged.verdict].toLowerCase()}`,
    ...(first === undefined ? [] : [first.text]),
    goneSentence(subject, seen, now),
    'seen' in seen.overdue ? `overdue ${items(seen.overdue.seen)}` : 'overdue not known',
    ...(open ? [`open replays ${open}`] : []),
  ].join('; ');
}

const VERDICTS: Readonly<Record<Verdict, string>> = {
  fine: 'Fine',
  warnings: 'Warnings',
  broken: 'Broken',
  unknown: 'Not known',
};

function describeTable({ subject, seen, judged }: TableStatus, place: string, now: Date): string {
  const rows: (readonly [string, string])[] = [
    ['gone', `${goneSentence(subject, seen, now)}.`],
    ['overdue', textOf(seen.overdue, look => describeOverdue(look, now))],
    ...describeJournal(seen.journal, now),
    ['open replays', textOf(seen.open, open => describeOpen(open, now))],
    ...[...seen.schedules].map(([name, schedule], index) => {
      const short = name.slice(subject.props.sweep.length + 1);
      return [
        index === 0 ? 'schedules' : '',
        `${short}: ${textOf(schedule, each => SCHEDULES[scheduleState(each)])}`,
      ] as const;
    }),
    [
      'dead letters',
      textOf(seen.deadLetters, messages => (messages === undefined ? 'no queue' : String(messages))),
    ],
    ['alarms', textOf(seen.alarms, alarms => describeAlarms(alarms))],
  ];
  return [
    `Table ${subject.props.tableName} ${place}, ${clockTime(now, new Date(0))}: ${VERDICTS[judged.verdict].toLowerCase()}${judged.cause ? `: ${judged.cause.text}` : ''}`,
    ...rows.map(([name, text]) => `  ${name.padEnd(14)}${text}`),
    ...(judged.remarks.length === 0 ? [] : ['']),
    ...judged.remarks.map(({ severity, text }) => `  ${severity.toUpperCase()} ${text}`),
  ].join('\n');
}

const SCHEDULES = { on: 'on', off: 'off', missing: 'not there' } as const;

/** Says up to when every due item was deleted, or why that is not known. */
function goneSentence(
  { props }: Subject,
  { gone, overdue }: Pick<TableStatus['seen'], 'gone' | 'overdue'>,
  now: Date,
): string {
  if (!gone.known && 'notChecked' in overdue)
    return `what is gone is not known: ${textOf(overdue, () => '')}`;
  if (!gone.known) {
    const unseen = seenOf(overdue)?.unseen;
    return gone.because === 'overdue'
      ? 'nothing can be said to be gone: an item that was due before what was looked at is still there'
      : `nothing can be said to be gone: ${unseen?.text ?? 'the index was not read far enough'}`;
  }
  const { since, by, left, gapUntil } = gone;
  const time = (seconds: number) => clockTime(fromSeconds(seconds), now);
  const [oldest] = left;
  const keys = left.slice(0, SHOWN_KEYS).flatMap(({ key }) => shortKeyText(key, props) ?? []);
  const more = left.length > keys.length ? ', …' : '';
  const named = keys.length === 0 ? '' : `; ${keys.length === 1 ? 'key' : 'keys'} ${keys.join(', ')}${more}`;
  const butFor =
    oldest === undefined
      ? ''
      : `, all but ${count(left.length)} (oldest ${time(Math.floor(oldest.ttl))}${named})`;
  const gap =
    gapUntil === null ? '' : `; nobody has looked for what was due from then until ${time(gapUntil)}`;
  return `everything that was due by ${time(by)} is gone${butFor}, back to ${time(since)}${gap}`;
}

function shortKeyText(key: ItemKey, props: Subject['props']): string | undefined {
  const text = shownKey(key, props);
  return text && shortKey(text);
}

function describeOverdue(look: OverdueLook, now: Date): string {
  const { named, read, readAt, queries, unseen } = look;
  const [oldest] = named;
  const latest = read.at(-1);
  if (latest === undefined && look.overdue === 0)
    return `not known (${unseen?.text ?? 'nothing could be read'})`;
  const late = oldest === undefined ? '' : `, the oldest for ${duration((readAt - oldest.ttl) * 1000)}`;
  const back =
    latest === undefined
      ? 'no span was read as a whole'
      : `looked back to ${clockTime(fromSeconds(latest.from), now)}${latest.upTo < readAt ? `, only up to ${clockTime(fromSeconds(latest.upTo), now)}` : ''}`;
  const why = unseen === null ? '' : `; ${unseen.text}`;
  return `${items(look)}${late} (${back}, ${count(queries)} ${queries === 1 ? 'query' : 'queries'}${why})`;
}

function items({ overdue, unseen }: Pick<OverdueLook, 'overdue' | 'unseen'>): string {
  if (unseen !== null && overdue === 0) return 'none seen, but not all was read';
  const text = `${count(overdue)} ${overdue === 1 ? 'item' : 'items'}`;
  return unseen === null ? text : `at least ${text}`;
}

function describeJournal(journal: TableStatus['seen']['journal'], now: Date): (readonly [string, string])[] {
  if (!('seen' in journal)) return [['journal', textOf(journal, () => '')]];
  const { seen } = journal;
  if (seen === undefined) return [['journal', 'not there']];
  const { tick, watermark, last } = seen;
  const ticks = tick === undefined ? 'none has planned' : `the last one planned ${clockTime(tick, now)}`;
  const left =
    watermark === undefined
      ? ''
      : `; they have left nothing up to ${clockTime(fromSeconds(watermark.gone), now)}`;
  const sweeps = last.length === 0 ? ['none has done anything'] : describeSweeps(last, now);
  return [
    ['ticks', `${ticks}${left}`],
    ['pause', seen.pause === undefined ? 'none' : describePause(seen.pause)],
    ...sweeps.map((line, index) => [index === 0 ? 'last sweeps' : '', line] as const),
  ];
}

function describeSweeps(sweeps: readonly Sweep[], now: Date): string[] {
  return sweeps.slice(0, SHOWN_SWEEPS).map(sweep => describeSweepLine(sweep, now));
}

function describeOpen(open: readonly OpenExecution[], now: Date): string {
  if (open.length === 0) return 'none';
  const ages = open
    .slice(0, SHOWN_OPEN)
    .map(({ startedAt }) => duration(now.getTime() - startedAt.getTime()));
  const more = open.length > SHOWN_OPEN ? ', …' : '';
  return `${open.length}, for ${ages.join(', ')}${more}`;
}

function describeAlarms(alarms: readonly { readonly name: string; readonly state: string }[]): string {
  if (alarms.length === 0) return 'none';
  const inAlarm = alarms.filter(({ state }) => state === 'ALARM').map(({ name }) => name);
  const waiting = alarms.filter(({ state }) => state === 'INSUFFICIENT_DATA').length;
  return [
    inAlarm.length === 0
      ? `none of ${alarms.length} in ALARM`
      : `${inAlarm.length} of ${alarms.length} in ALARM: ${inAlarm.join(', ')}`,
    ...(waiting === 0 ? [] : [`${waiting} without data yet`]),
  ].join(', ');
}

function textOf<Seen>(checked: Checked<Seen> | undefined, describe: (seen: Seen) => string): string {
  if (checked === undefined) return 'none: there is no state machine';
  if ('seen' in checked) return describe(checked.seen);
  const { reason, isLocal } = checked.notChecked;
  return `${isLocal ? 'not asked' : 'not known'} (${reason})`;
}

const fromSeconds = (seconds: number): Date => new Date(seconds * 1000);

/** The output on which a look is shown. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Shows one status of `status --watch`: on a terminal it replaces the previous one, elsewhere one line is printed for each table. */
export function showLook(status: Status, screen: Screen): void {
  if (!screen.isTTY) {
    const now = new Date(status.at);
    for (const table of status.tables) screen.write(`${printable(describeBriefly(table, now))}\n`);
    return;
  }
  const stream = screen as unknown as NodeJS.WritableStream;
  cursorTo(stream, 0, 0);
  clearScreenDown(stream);
  screen.write(`${shownOn(screen, describeStatus(status))}\n`);
}
