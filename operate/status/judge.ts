import { INDEX_SECONDS, journalName } from '../../functions/journal/layout.ts';
import { lookbackFrom } from '../../functions/plan-sweep/plan-tick.ts';
import { commandLine } from '../command-line.ts';
import { type Checked, seenOf } from '../deployment/check.ts';
import { isFailing, isStale, type SeenJournal } from '../deployment/observe-journal.ts';
import type { Subject } from '../deployment/subject.ts';
import { describePause } from '../deployment/sweep.ts';
import { ago, duration, isoSeconds } from '../times.ts';
import { isLeft, type Lateness, latenessOf } from './lateness.ts';
import { REMARK_IDS, REMARKS, type Remark, remark } from './remarks.ts';
import type { Verdict } from './report.ts';
import type { SeenTable } from './seen-table.ts';

export interface Judged {
  readonly verdict: Verdict;
  /** The reason why items are overdue or nothing is deleted; null if there is no fault, or only others. */
  readonly cause: Remark | null;
  /** Worst first. */
  readonly remarks: readonly Remark[];
}

const SEVERITIES = ['broken', 'warning', 'note'] as const;

/** Time between two ticks plus the duration of a late one, milliseconds. Up to two ticks without work may leave no record. */
const TICK_MS = 210_000;

/** Judges the observations of a table. @param now epoch milliseconds */
export function judge(seen: SeenTable, subject: Subject, now: number): Judged {
  const look = seenOf(seen.overdue);
  const lateness = look === null ? undefined : latenessOf(look, subject.props);
  const remarks = [
    ...silentRemarks(seen),
    ...machineRemarks(seen, subject),
    ...scheduleRemarks(seen),
    ...journalRemarks(seen, subject, lateness !== undefined, now),
    ...(lateness === undefined ? [] : lateCauses(seen, subject, lateness, now)),
    ...unseenRemarks(seen),
    ...deadLetterRemarks(seen),
    ...alarmRemarks(seen),
    ...notCheckedRemarks(seen),
  ];
  const [first] = inOrder(remarks.filter(({ id }) => REMARKS[id].isCause));
  const late = lateness === undefined ? [] : [lateRemark(seen, lateness, first)];
  const all = inOrder([...remarks, ...late]).toSorted(
    (one, other) => SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity),
  );
  // A note explains lateness, but is no fault by itself.
  const isWrong = lateness !== undefined || (first !== undefined && first.severity !== 'note');
  return { verdict: verdictOf(seen, all), cause: isWrong ? (first ?? late[0] ?? null) : null, remarks: all };
}

function inOrder(remarks: readonly Remark[]): Remark[] {
  return remarks.toSorted((one, other) => REMARK_IDS.indexOf(one.id) - REMARK_IDS.indexOf(other.id));
}

/** The worst verdict. */
export function worst(verdicts: readonly Verdict[]): Verdict {
  const order = ['broken', 'unknown', 'warnings'] as const;
  return order.find(verdict => verdicts.includes(verdict)) ?? 'fine';
}

function verdictOf(seen: SeenTable, remarks: readonly Remark[]): Verdict {
  const { journal, overdue } = seen;
  if (remarks.some(({ severity }) => severity === 'broken')) return 'broken';
  // A service that did not answer might have reported something broken.
  if (checksOf(seen).some(([, each]) => 'notChecked' in each && each.notChecked.silent)) return 'unknown';
  if ('notChecked' in journal && 'notChecked' in overdue) return 'unknown';
  return remarks.some(({ severity }) => severity === 'warning') ? 'warnings' : 'fine';
}

function machineRemarks({ stateMachine }: SeenTable, { props, region }: Subject): Remark[] {
  if (!('seen' in stateMachine) || stateMachine.seen !== undefined) return [];
  return [
    remark(
      'machineMissing',
      `there is no state machine ${props.sweep} in ${region}; ${commandLine('deploy')}, or look whether account and region are right`,
    ),
  ];
}

function scheduleRemarks({ schedules }: SeenTable): Remark[] {
  return [...schedules].flatMap(([name, schedule]): Remark[] => {
    if (!('seen' in schedule)) return [];
    const { seen } = schedule;
    if (seen === undefined)
      return [remark('scheduleMissing', `the schedule ${name} is not there; ${commandLine('deploy')}`)];
    return seen.state === 'ENABLED'
      ? []
      : [
          remark(
            'scheduleOff',
            `the schedule ${name} is off: somebody has turned it off in EventBridge Scheduler`,
          ),
        ];
  });
}

function journalRemarks(
  { journal, stateMachine, overdue }: SeenTable,
  subject: Subject,
  isLate: boolean,
  now: number,
): Remark[] {
  if (!('seen' in journal)) return [];
  const { props, region } = subject;
  if (journal.seen === undefined) {
    return [
      remark(
        'journalMissing',
        `there is no journal ${journalName(props.sweep)} in ${region}; ${commandLine('deploy')}, or look whether account and region are right`,
      ),
    ];
  }
  const createdAt = 'seen' in stateMachine ? stateMachine.seen?.createdAt : undefined;
  const look = seenOf(overdue);
  // If the reading was incomplete, the rest is not the ticks' fault.
  const read = look?.unseen === null ? (look.read[0]?.from ?? null) : null;
  return [
    ...tickRemarks(journal.seen, createdAt, isLate, now),
    ...pauseRemarks(journal.seen),
    ...behindRemarks(journal.seen, read),
    ...failureRemarks(journal.seen, now),
  ];
}

function tickRemarks(
  journal: SeenJournal,
  createdAt: Date | undefined,
  isLate: boolean,
  now: number,
): Remark[] {
  const { tick } = journal;
  const isMissing = isLate && tick !== undefined && now - tick.getTime() > TICK_MS;
  if (!isMissing && !isStale(journal, createdAt, now)) return [];
  const text =
    tick === undefined
      ? 'no tick has ever planned'
      : `no tick has planned since ${isoSeconds(tick)}, for ${duration(now - tick.getTime())}`;
  return [remark('noTick', text)];
}

function pauseRemarks({ pause }: SeenJournal): Remark[] {
  return pause === undefined ? [] : [remark('paused', `the table is ${describePause(pause)}`)];
}

/** Reports ticks that have not come as far as this look reads back. */
function behindRemarks({ watermark, pause }: SeenJournal, readFrom: number | null): Remark[] {
  if (watermark === undefined || pause !== undefined) return [];
  if (readFrom === null || watermark.gone - INDEX_SECONDS >= readFrom - 1) return [];
  const [from, to] = [watermark.gone, readFrom].map(seconds => isoSeconds(seconds * 1_000));
  return [
    remark(
      'behind',
      `the ticks have come to ${from}, and each goes on from there: what was due from then until ${to} was not counted here`,
    ),
  ];
}

function failureRemarks(journal: SeenJournal, now: number): Remark[] {
  const [failure] = journal.failures;
  if (failure === undefined) return [];
  const text = `${ago(now, failure.stoppedAt)} a sweep failed: ${failure.failure}`;
  return [isFailing(journal) ? remark('failing', text) : remark('failed', text)];
}

/** Remarks that explain lateness and are no faults by themselves. */
function lateCauses(seen: SeenTable, subject: Subject, { seconds }: Lateness, now: number): Remark[] {
  return [
    ...throttledRemarks(seen, now),
    ...limitRemarks(seen, subject, seconds),
    ...beyondRemarks(seen, subject),
    ...trendRemarks(seen),
  ];
}

/** Age up to which a sweep tells whether deletes are throttled, milliseconds: a sweep that deletes is recorded within five minutes. */
const THROTTLED_MS = 5 * 60_000;

function throttledRemarks({ journal }: SeenTable, now: number): Remark[] {
  const [newest] = seenOf(journal)?.last ?? [];
  if (newest === undefined || now - newest.stoppedAt.getTime() > THROTTLED_MS) return [];
  const { throttled } = newest.outcome;
  if (throttled === 0) return [];
  return [
    remark(
      'deletesThrottled',
      `DynamoDB throttles the deletes: ${count(throttled)} in the sweep that ended ${ago(now, newest.stoppedAt)}`,
    ),
  ];
}

/** Seconds of deletes under the limit: with fewer overdue items the limit is not the cause of lateness. */
const LIMITED_SECONDS = 10;

/**
 * Reports a delete limit as the cause. While limited ticks delete older items, the items of the last minute are all still there,
 * so their number is the rate of expiry.
 */
function limitRemarks(
  { overdue, trend }: SeenTable,
  { props: { maxDeletesPerSecond: limit } }: Subject,
  lateSeconds: number,
): Remark[] {
  const { lastMinute, overdue: items } = seenOf(overdue) ?? { lastMinute: 0, overdue: 0 };
  if (limit === 0 || items < limit * LIMITED_SECONDS) return [];
  const expire = lastMinute / 60;
  const isHopeless = lateSeconds > 60 && expire > limit && (trend?.fewerPerSecond ?? 0) <= 0;
  const text = isHopeless
    ? `limit ${limit}/s, at least ${perSecond(expire)}/s expire: it will not catch up`
    : `limit ${limit}/s${trend?.caughtUpAt == null ? '' : `, ${describeTrend(trend)}`}`;
  return [remark('limited', text, isHopeless ? 'warning' : 'note')];
}

/** Reports items before the time from which the next tick looks: they were written after their expiry. */
function beyondRemarks({ overdue, journal }: SeenTable, { props, model }: Subject): Remark[] {
  const look = seenOf(overdue);
  const watermark = seenOf(journal)?.watermark;
  const [oldest] = look?.named ?? [];
  if (oldest === undefined || watermark === undefined) return [];
  const first = lookbackFrom(watermark, { model });
  if (oldest.ttl >= first) return [];
  return [
    remark(
      'beyondTicks',
      `what expired before ${isoSeconds(first * 1000)} is further back than the ticks look: native TTL deletes it within days, or now ${commandLine('replay', `--table ${props.tableName} --from ${isoSeconds(Math.floor(oldest.ttl) * 1000)} --to ${isoSeconds(first * 1000)}`)}`,
    ),
  ];
}

function trendRemarks({ trend }: SeenTable): Remark[] {
  if (trend?.caughtUpAt == null) return [];
  const text = `a backlog is being deleted, ${describeTrend(trend)}`;
  return [remark('catchingUp', text)];
}

function describeTrend({
  fewerPerSecond,
  measuredSeconds,
  caughtUpAt,
}: NonNullable<SeenTable['trend']>): string {
  const measured = `measured for ${Math.round(measuredSeconds)} s`;
  if (caughtUpAt !== null) {
    return `${perSecond(fewerPerSecond)} fewer each second (${measured}): at this rate caught up at ${isoSeconds(caughtUpAt)}`;
  }
  if (Math.abs(fewerPerSecond * measuredSeconds) < 1)
    return `as many as ${Math.round(measuredSeconds)} s before`;
  const rate = Math.abs(fewerPerSecond);
  const each =
    rate >= 0.1
      ? `${perSecond(rate)} ${fewerPerSecond > 0 ? 'fewer' : 'more'} each second`
      : 'hardly any change';
  return `${each} (${measured})`;
}

const perSecond = (rate: number): string => (rate >= 10 ? count(Math.round(rate)) : rate.toFixed(1));

/** @param cause the remark that explains the lateness */
function lateRemark(seen: SeenTable, lateness: Lateness, cause: Remark | undefined): Remark {
  const look = seenOf(seen.overdue);
  const { seconds, lateAfter, mayBeWrittenLate } = lateness;
  const atLeast = look?.unseen == null ? '' : 'at least ';
  const items =
    look?.overdue === 1
      ? `${atLeast === '' ? 'an' : 'at least one'} item has been overdue`
      : `${atLeast}${count(look?.overdue ?? 0)} items are overdue, the oldest`;
  const trend =
    seen.trend && cause?.id !== 'catchingUp' && cause?.id !== 'limited'
      ? `; ${describeTrend(seen.trend)}`
      : '';
  const written =
    mayBeWrittenLate && cause === undefined
      ? ': what is written less than two minutes before it expires waits for the next tick'
      : '';
  const isExpected = cause?.id === 'paused';
  const isNormal = mayBeWrittenLate && cause === undefined;
  const severity = isLeft(lateness) && !isExpected ? 'broken' : isNormal ? 'note' : 'warning';
  const text = `${items} for ${duration(seconds * 1000)}; more than ${lateAfter} s is late${written}${trend}`;
  return remark('late', text, severity);
}

function unseenRemarks({ overdue }: SeenTable): Remark[] {
  const unseen = seenOf(overdue)?.unseen;
  if (unseen == null) return [];
  const what = seenOf(overdue)?.overdue === 0 ? 'is' : 'else is';
  return [remark(unseen.id, `${unseen.text}: it is not known what ${what} overdue`)];
}

const count = (value: number): string => value.toLocaleString('en-US');

/**
 * Reports a DynamoDB that does not answer, because nothing is deleted then. If no other service answers either, the fault may be
 * in the user's own network, and nothing is reported.
 */
function silentRemarks(seen: SeenTable): Remark[] {
  const { overdue } = seen;
  const silent = 'notChecked' in overdue ? overdue.notChecked.silent : undefined;
  if (silent === undefined || !silent.isDead) return [];
  const others = checksOf(seen).filter(([, checked]) => checked !== overdue && checked !== seen.journal);
  const asked = others.filter(([, checked]) => !('notChecked' in checked && checked.notChecked.isLocal));
  const isAlone = asked.some(
    ([, checked]) => !('notChecked' in checked) || checked.notChecked.silent === undefined,
  );
  if (asked.length > 0 && !isAlone) return [];
  const doOthers = asked.length === 0 ? '' : ', and other services do';
  const since = `${seen.hasAnswered ? '' : 'at least '}${isoSeconds(seen.silentSince ?? 0)}`;
  return [
    remark(
      'dynamoDbSilent',
      `DynamoDB does not answer since ${since}${doOthers}: while it answers the sweeps no better, nothing is deleted`,
    ),
  ];
}

function deadLetterRemarks({ deadLetters }: SeenTable): Remark[] {
  if (!('seen' in deadLetters)) return [];
  const { seen: messages } = deadLetters;
  if (messages === undefined) return [remark('deadLetters', 'the dead-letter queue is not there')];
  return messages === 0
    ? []
    : [
        remark(
          'deadLetters',
          `${messages} dead ${messages === 1 ? 'letter' : 'letters'}: EventBridge Scheduler could not start so many sweeps`,
        ),
      ];
}

function alarmRemarks({ alarms }: SeenTable): Remark[] {
  if (!('seen' in alarms)) return [];
  return alarms.seen
    .filter(({ state }) => state === 'ALARM')
    .map(({ name, since, description }) => {
      const when = since === undefined ? '' : ` since ${since.toISOString()}`;
      return remark('alarm', `the alarm ${name} is in ALARM${when}${description && `: ${description}`}`);
    });
}

/** All checks, each with a name. */
function checksOf(seen: SeenTable): readonly (readonly [string, Checked<unknown>])[] {
  return [
    ['the state machine', seen.stateMachine],
    ['the journal', seen.journal],
    ...(seen.open === undefined ? [] : [['the open replays', seen.open] as const]),
    ['what is overdue', seen.overdue],
    ...[...seen.schedules].map(([name, checked]) => [`the schedule ${name}`, checked] as const),
    ['the dead letters', seen.deadLetters],
    ['the alarms', seen.alarms],
  ];
}

function notCheckedRemarks(seen: SeenTable): Remark[] {
  const unknown = checksOf(seen).flatMap(([what, checked]) =>
    'notChecked' in checked ? [{ what, why: checked.notChecked }] : [],
  );
  return [...Map.groupBy(unknown, ({ why }) => why.reason)].flatMap(([reason, group]) => {
    const whats = group.map(({ what }) => what).join(', ');
    const { isLocal = false, remedy } = group[0]?.why ?? {};
    const text = `not known: ${whats} (${reason})${remedy === undefined ? '' : `. ${remedy}`}`;
    return remark('notKnown', text, isLocal ? 'note' : 'warning');
  });
}
