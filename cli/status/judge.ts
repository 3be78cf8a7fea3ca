import { ago, duration } from '../deployment/ago.ts';
import type { Checked, NotChecked } from '../deployment/check.ts';
import { STALE_MS } from '../deployment/observe-deployment.ts';
import type { Subject } from '../deployment/subject.ts';
import { type ScheduleState, scheduleState } from './schedule-state.ts';
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
/** A tick takes two minutes, a reconcile with much to do some more. */
const LONG_MS = 15 * 60 * 1000;
/** A failure is told of for so long after the next success. */
const FAILURE_MS = 60 * 60 * 1000;

const SEVERITIES = ['broken', 'warning', 'note'] as const;

/**
 * What is to be made of what was seen.
 * @param now epoch milliseconds
 */
export function judge(seen: SeenTable, subject: Subject, now: number): Judged {
  const states = [...seen.schedules.values()].map(schedule =>
    'seen' in schedule ? scheduleState(schedule.seen, now) : undefined,
  );
  const isPaused =
    !subject.props.enabled || states.some(state => state?.is === 'off' || state?.is === 'paused');
  const remarks = [
    ...machineRemarks(seen, subject),
    ...scheduleRemarks(seen, subject, now),
    ...sweepRemarks(seen, isPaused, now),
    ...overdueRemarks(seen, isPaused),
    ...silentRemarks(seen),
    ...deadLetterRemarks(seen),
    ...alarmRemarks(seen),
    ...notCheckedRemarks(seen),
  ].sort((one, other) => SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity));
  return { verdict: verdictOf(seen, remarks), remarks };
}

/** The worst of several. */
export function worst(verdicts: readonly Verdict[]): Verdict {
  const order = ['broken', 'unknown', 'warnings'] as const;
  return order.find(verdict => verdicts.includes(verdict)) ?? 'fine';
}

function verdictOf(seen: SeenTable, remarks: readonly Remark[]): Verdict {
  const { sweeps, overdue } = seen;
  if (remarks.some(({ severity }) => severity === 'broken')) return 'broken';
  // Whoever did not answer could have told of something broken.
  if (checksOf(seen).some(([, each]) => 'notChecked' in each && each.notChecked.silent)) return 'unknown';
  if (sweeps !== undefined && 'notChecked' in sweeps && 'notChecked' in overdue) return 'unknown';
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

function scheduleRemarks({ schedules }: SeenTable, { props, call }: Subject, now: number): Remark[] {
  if (!props.enabled) {
    return [{ severity: 'warning', text: 'the schedules are off in the configuration (enabled: false)' }];
  }
  return [...schedules].flatMap(([name, schedule]) =>
    'seen' in schedule ? scheduleRemark(name, scheduleState(schedule.seen, now), call) : [],
  );
}

function scheduleRemark(name: string, state: ScheduleState, call: Subject['call']): Remark[] {
  switch (state.is) {
    case 'missing':
      return [{ severity: 'broken', text: `the schedule ${name} is not there; ${call('deploy')}` }];
    case 'off':
      return [{ severity: 'warning', text: `the schedule ${name} is off` }];
    case 'paused':
      return [
        { severity: 'warning', text: `the schedule ${name} is paused until ${state.until.toISOString()}` },
      ];
    case 'on':
      return state.maxDeletesPerSecond === undefined
        ? []
        : [{ severity: 'note', text: `${name} is limited to ${state.maxDeletesPerSecond} deletes a second` }];
  }
}

function sweepRemarks({ sweeps, stateMachine }: SeenTable, isPaused: boolean, now: number): Remark[] {
  if (sweeps === undefined || !('seen' in sweeps)) return [];
  const { lastSuccess, lastFailure, open } = sweeps.seen;
  const createdAt = 'seen' in stateMachine ? stateMachine.seen?.createdAt : undefined;
  const since = lastSuccess ?? createdAt;
  const isStale = since === undefined || now - since.getTime() > STALE_MS;
  const failedAt = lastFailure?.stoppedAt?.getTime() ?? 0;
  const isFailing = failedAt > (lastSuccess?.getTime() ?? 0);
  const isRecent = now - failedAt < FAILURE_MS;
  const long = open.filter(({ startedAt }) => now - startedAt.getTime() > LONG_MS);
  const failure = lastFailure && `${ago(now, new Date(failedAt))} a sweep failed: ${lastFailure.failure}`;
  return [
    ...(isStale && !isPaused
      ? [
          {
            severity: 'broken' as const,
            text:
              lastSuccess === undefined
                ? 'no sweep has ever succeeded'
                : `no sweep has succeeded for ${duration(now - lastSuccess.getTime())}`,
          },
        ]
      : []),
    ...(failure !== undefined && (isFailing || isRecent)
      ? [{ severity: isFailing ? ('broken' as const) : ('warning' as const), text: failure }]
      : []),
    ...(long.length > 0
      ? [
          {
            severity: 'warning' as const,
            text: `${long.length} ${long.length === 1 ? 'execution has' : 'executions have'} been open for more than 15 minutes`,
          },
        ]
      : []),
  ];
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
  const others = checksOf(seen).filter(([, checked]) => checked !== overdue);
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
    ...(seen.sweeps === undefined ? [] : [['the executions', seen.sweeps] as const]),
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
