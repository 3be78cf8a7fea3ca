import { INDEX_SECONDS, journalName } from '../../functions/journal/layout.ts';
import { ago, duration } from '../deployment/ago.ts';
import type { Checked, NotChecked } from '../deployment/check.ts';
import { isFailing, isStale, type SeenJournal } from '../deployment/observe-journal.ts';
import type { Subject } from '../deployment/subject.ts';
import { isoSeconds } from '../iso-seconds.ts';
import { describePause } from '../pause/describe-pause.ts';
import type { SeenTable } from './seen-table.ts';

export type Verdict = 'fine' | 'warnings' | 'broken' | 'unknown';

/** Something that an operator should know. */
export interface Remark {
  /** A note does not count. */
  readonly severity: 'broken' | 'warning' | 'note';
  readonly text: string;
}

export interface Judged {
  readonly verdict: Verdict;
  /** The worst first. */
  readonly remarks: readonly Remark[];
}

/** An item that is overdue for longer was left by a sweep: a tick that never comes costs about a minute. Seconds. */
const LATE_SECONDS = 120;
/** For longer than several ticks and what they look back to. */
const LEFT_SECONDS = 300;

const SEVERITIES = ['broken', 'warning', 'note'] as const;

/**
 * What is to be made of what was seen.
 * @param now epoch milliseconds
 */
export function judge(seen: SeenTable, subject: Subject, now: number): Judged {
  const isOff = !subject.props.enabled;
  const isPaused = isOff || ('seen' in seen.journal && seen.journal.seen?.pause !== undefined);
  const remarks = [
    ...machineRemarks(seen, subject),
    ...(isOff ? [OFF] : scheduleRemarks(seen, subject)),
    ...journalRemarks(seen, subject, now),
    ...overdueRemarks(seen, isPaused),
    ...silentRemarks(seen),
    ...deadLetterRemarks(seen),
    ...alarmRemarks(seen),
    ...notCheckedRemarks(seen),
  ].sort((one, other) => SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity));
  return { verdict: verdictOf(seen, remarks), remarks };
}

const OFF: Remark = {
  severity: 'warning',
  text: 'no tick sweeps it, as the configuration says (enabled: false)',
};

/** The worst of several. */
export function worst(verdicts: readonly Verdict[]): Verdict {
  const order = ['broken', 'unknown', 'warnings'] as const;
  return order.find(verdict => verdicts.includes(verdict)) ?? 'fine';
}

function verdictOf(seen: SeenTable, remarks: readonly Remark[]): Verdict {
  const { journal, overdue } = seen;
  if (remarks.some(({ severity }) => severity === 'broken')) return 'broken';
  // Whoever did not answer could have told of something broken.
  if (checksOf(seen).some(([, each]) => 'notChecked' in each && each.notChecked.silent)) return 'unknown';
  if ('notChecked' in journal && 'notChecked' in overdue) return 'unknown';
  return remarks.some(({ severity }) => severity === 'warning') ? 'warnings' : 'fine';
}

function machineRemarks({ stateMachine }: SeenTable, { props, region, call }: Subject): Remark[] {
  if (!('seen' in stateMachine) || stateMachine.seen !== undefined) return [];
  return [
    {
      severity: 'broken',
      text: `there is no state machine ${props.sweep} in ${region}; ${call('deploy')}, or look whether account and region are right`,
    },
  ];
}

function scheduleRemarks({ schedules }: SeenTable, { call }: Subject): Remark[] {
  return [...schedules].flatMap(([name, schedule]): Remark[] => {
    if (!('seen' in schedule)) return [];
    const { seen } = schedule;
    if (seen === undefined)
      return [{ severity: 'broken', text: `the schedule ${name} is not there; ${call('deploy')}` }];
    return seen.state === 'ENABLED'
      ? []
      : [
          {
            severity: 'broken',
            text: `the schedule ${name} is off: somebody has turned it off in EventBridge Scheduler`,
          },
        ];
  });
}

function journalRemarks(
  { journal, stateMachine, overdue }: SeenTable,
  subject: Subject,
  now: number,
): Remark[] {
  if (!('seen' in journal)) return [];
  const { props, region, call } = subject;
  if (journal.seen === undefined) {
    return [
      {
        severity: 'broken',
        text: `there is no journal ${journalName(props.sweep)} in ${region}; ${call('deploy')}, or look whether account and region are right`,
      },
    ];
  }
  const createdAt = 'seen' in stateMachine ? stateMachine.seen?.createdAt : undefined;
  const read = 'seen' in overdue ? (overdue.seen.read?.from ?? null) : null;
  return [
    ...tickRemarks(journal.seen, subject, createdAt, now),
    ...setByHandRemarks(journal.seen),
    ...gapRemarks(journal.seen, read, subject),
    ...failureRemarks(journal.seen, now),
  ];
}

function tickRemarks(
  journal: SeenJournal,
  { deployment }: Subject,
  createdAt: Date | undefined,
  now: number,
): Remark[] {
  if (!isStale(journal, createdAt, deployment, now)) return [];
  const { tick } = journal;
  const text =
    tick === undefined
      ? 'no tick has ever planned'
      : `no tick has planned for ${duration(now - tick.getTime())}`;
  return [{ severity: 'broken', text }];
}

function setByHandRemarks({ pause, limit, handOver }: SeenJournal): Remark[] {
  return [
    ...(pause === undefined
      ? []
      : [{ severity: 'warning' as const, text: `the table is ${describePause(pause)}` }]),
    ...(limit === undefined
      ? []
      : [{ severity: 'note' as const, text: `it is limited to ${limit} deletes a second` }]),
    ...(handOver === undefined
      ? []
      : [
          {
            severity: 'note' as const,
            text: `the execution ${handOver.execution} sweeps what was due before ${isoSeconds(handOver.before * 1_000)}`,
          },
        ]),
  ];
}

/** The ticks look back, and what was due before that is known to nobody. */
function gapRemarks(
  { watermark, pause, handOver }: SeenJournal,
  readFrom: number | null,
  { props, call }: Subject,
): Remark[] {
  if (watermark === undefined || pause !== undefined || handOver !== undefined) return [];
  if (readFrom === null || watermark.gone - INDEX_SECONDS >= readFrom - 1) return [];
  const [from, to] = [watermark.gone, readFrom].map(seconds => isoSeconds(seconds * 1_000));
  return [
    {
      severity: 'warning',
      text: `no tick has looked for what was due from ${from} to ${to}: ${call('resume', `--table ${props.tableName}`)} replays it`,
    },
  ];
}

function failureRemarks(journal: SeenJournal, now: number): Remark[] {
  const [failure] = journal.failures;
  if (failure === undefined) return [];
  const text = `${ago(now, failure.stoppedAt)} a sweep failed: ${failure.failure}`;
  return [{ severity: isFailing(journal) ? 'broken' : 'warning', text }];
}

function overdueRemarks({ overdue }: SeenTable, isPaused: boolean): Remark[] {
  if (!('seen' in overdue)) return [];
  const { oldest, readAt, read, why, heldUnknown } = overdue.seen;
  const late = oldest === null ? 0 : readAt - oldest;
  const mayBeHeld = heldUnknown ? ', or is held: DynamoDB did not say' : '';
  return [
    ...(late > LATE_SECONDS
      ? [
          {
            severity:
              late > LEFT_SECONDS && !isPaused && !heldUnknown ? ('broken' as const) : ('warning' as const),
            text: `an item has been overdue for ${duration(late * 1000)}${mayBeHeld}`,
          },
        ]
      : []),
    ...(why === null
      ? []
      : [
          {
            severity: 'warning' as const,
            text: `${why}: it is not known what ${read === null ? 'is' : 'else is'} overdue`,
          },
        ]),
  ];
}

/**
 * A DynamoDB that does not answer deletes nothing either. But when no other service answers, it may be the network of whoever asks,
 * and nothing is known.
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
  return [
    {
      severity: 'broken',
      text: `DynamoDB does not answer here${doOthers}: while it answers the sweeps no better, nothing is deleted`,
    },
  ];
}

function deadLetterRemarks({ deadLetters }: SeenTable): Remark[] {
  if (!('seen' in deadLetters)) return [];
  const { seen: messages } = deadLetters;
  if (messages === undefined) return [{ severity: 'warning', text: 'the dead-letter queue is not there' }];
  return messages === 0
    ? []
    : [
        {
          severity: 'warning',
          text: `${messages} dead ${messages === 1 ? 'letter' : 'letters'}: EventBridge Scheduler could not start so many sweeps`,
        },
      ];
}

function alarmRemarks({ alarms }: SeenTable): Remark[] {
  if (!('seen' in alarms)) return [];
  return alarms.seen
    .filter(({ state }) => state === 'ALARM')
    .map(({ name, since, description }) => ({
      severity: 'warning',
      text:
        `the alarm ${name} is in ALARM${since === undefined ? '' : ` since ${since.toISOString()}`}` +
        `${description && `: ${description}`}`,
    }));
}

/** Everything that was looked at, with a name for it. */
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
  const reasons = new Map<string, { readonly whats: string[]; readonly why: NotChecked }>();
  for (const [what, checked] of checksOf(seen)) {
    if (!('notChecked' in checked)) continue;
    const { notChecked: why } = checked;
    const group = reasons.get(why.reason) ?? { whats: [], why };
    group.whats.push(what);
    reasons.set(why.reason, group);
  }
  return [...reasons.values()].map(({ whats, why }) => ({
    severity: why.isLocal ? 'note' : 'warning',
    text: `not known: ${whats.join(', ')} (${why.reason})${why.remedy === undefined ? '' : `. ${why.remedy}`}`,
  }));
}
