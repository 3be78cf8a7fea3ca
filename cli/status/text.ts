import type { OpenExecution } from '../aws/open-executions.ts';
import { duration } from '../deployment/ago.ts';
import { type Checked, seenOf } from '../deployment/check.ts';
import type { SeenJournal } from '../deployment/observe-journal.ts';
import type { Sweep } from '../deployment/sweep.ts';
import { clockTime, describeSweepLine } from '../deployment/sweep-text.ts';
import { describePause } from '../pause/describe-pause.ts';
import type { Gone } from './gone.ts';
import type { Status, TableStatus } from './job.ts';
import type { Verdict } from './judge.ts';
import type { OverdueLook } from './overdue.ts';
import { scheduleState } from './report.ts';

/** Sweeps that are shown. */
const SHOWN_SWEEPS = 5;
const SHOWN_OPEN = 3;

/** A status for a person. */
export function describeStatus({ tables, region, isLocal, at, verdict }: Status): string {
  const place = isLocal ? 'on this machine' : `in ${region}`;
  return [
    ...tables.map(table => describeTable(table, place, new Date(at))),
    `${VERDICTS[verdict]}. What each line means: docs/status.md`,
  ].join('\n\n');
}

/** A table on one line, for `--watch` where lines can't be overwritten. */
export function describeBriefly({ subject, seen, judged }: TableStatus, now: Date): string {
  const open = seenOf(seen.open)?.length;
  const [worst] = judged.remarks.filter(({ severity }) => severity !== 'note');
  return [
    `${clockTime(now, now)}  ${subject.props.tableName}: ${VERDICTS[judged.verdict].toLowerCase()}`,
    goneSentence(subject, seen, now),
    ...('seen' in seen.overdue && seen.overdue.seen.read !== null
      ? [`overdue ${items(seen.overdue.seen)}`]
      : ['overdue not known']),
    ...(open ? [`open replays ${open}`] : []),
    ...(worst === undefined ? [] : [worst.text]),
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
    `Table ${subject.props.tableName} ${place}, ${clockTime(now, new Date(0))}`,
    ...rows.map(([name, text]) => `  ${name.padEnd(14)}${text}`),
    ...(judged.remarks.length === 0 ? [] : ['']),
    ...judged.remarks.map(({ severity, text }) => `  ${severity.toUpperCase()} ${text}`),
  ].join('\n');
}

const SCHEDULES = { on: 'on', off: 'off', missing: 'not there' } as const;

/** The sentence that an operator may rely on, or why there is none. */
function goneSentence(
  { props }: TableStatus['subject'],
  { gone, overdue }: Pick<TableStatus['seen'], 'gone' | 'overdue'>,
  now: Date,
): string {
  if (!gone.known && 'notChecked' in overdue)
    return `what is gone is not known: ${textOf(overdue, () => '')}`;
  if (gone.known) {
    const { since, by } = gone;
    // What is due has expired a grace ago.
    const was = props.graceSeconds === 0 ? 'was due' : 'had expired';
    const kept = props.holdAttribute === undefined ? '' : ', but for what is held';
    const back = `, back to ${clockTime(fromSeconds(since), now)}`;
    return `everything that ${was} by ${clockTime(fromSeconds(by), now)} is gone${back}${kept}`;
  }
  return `nothing can be said to be gone: ${WHY_UNKNOWN[gone.because]}`;
}

const WHY_UNKNOWN: Readonly<Record<Extract<Gone, { known: false }>['because'], string>> = {
  overdue: 'an item that was due before what was looked at is still there',
  unanswered: 'DynamoDB did not answer for the oldest windows',
  'not-read': 'the index was not read far enough',
};

function describeOverdue(look: OverdueLook, now: Date): string {
  const { oldest, read, readAt, held, heldUnknown, queries, why } = look;
  if (read === null) return `not known (${why ?? 'nothing could be read'})`;
  const late = oldest === null ? '' : `, the oldest for ${duration((readAt - oldest) * 1000)}`;
  const upTo = read.upTo < readAt ? `, only up to ${clockTime(fromSeconds(read.upTo), now)}` : '';
  const back = `looked back to ${clockTime(fromSeconds(read.from), now)}${upTo}`;
  const kept = held === 0 ? '' : `; at least ${count(held)} held`;
  const unknown = heldUnknown ? '; some of them may be held' : '';
  return `${items(look)}${late}${kept}${unknown} (${back}, ${queries} ${queries === 1 ? 'query' : 'queries'})`;
}

function items({ overdue, atLeast }: OverdueLook): string {
  if (atLeast && overdue === 0) return 'none seen, but not all was read';
  const text = `${count(overdue)} ${overdue === 1 ? 'item' : 'items'}`;
  return atLeast ? `at least ${text}` : text;
}

function describeJournal(journal: TableStatus['seen']['journal'], now: Date): (readonly [string, string])[] {
  if (!('seen' in journal)) return [['journal', textOf(journal, () => '')]];
  const { seen } = journal;
  if (seen === undefined) return [['journal', 'not there']];
  const { tick, watermark, handOver, last } = seen;
  const ticks = tick === undefined ? 'none has planned' : `the last one planned ${clockTime(tick, now)}`;
  const left =
    watermark === undefined
      ? ''
      : `; they have left nothing up to ${clockTime(fromSeconds(watermark.gone), now)}`;
  const sweeps = last.length === 0 ? ['none has done anything'] : describeSweeps(last, now);
  return [
    ['ticks', `${ticks}${left}`],
    ['set by hand', describeSet(seen)],
    ...(handOver === undefined
      ? []
      : [
          [
            'handed over',
            `what was due before ${clockTime(fromSeconds(handOver.before), now)}, to ${handOver.execution}`,
          ] as const,
        ]),
    ...sweeps.map((line, index) => [index === 0 ? 'last sweeps' : '', line] as const),
  ];
}

function describeSet({ pause, limit }: SeenJournal): string {
  const texts = [
    ...(pause === undefined ? [] : [describePause(pause)]),
    ...(limit === undefined ? [] : [`at most ${count(limit)} deletes a second`]),
  ];
  return texts.join(', ') || 'nothing';
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

const count = (value: number): string => value.toLocaleString('en-US');
