import type { StreamFunctionName } from '../../functions/function-list.ts';
import { keyAttributeNames } from '../../functions/table/item-key.ts';
import { alarmNamesOf } from '../../stacks/alarms.ts';
import { deploymentOf } from '../../stacks/deployments.ts';
import { deadLetterQueueOf } from '../../stacks/names.ts';
import { type DeployedSchedule, schedulesOf } from '../../stacks/schedules-of.ts';
import { ROUND_TARGETS } from '../../statemachine/contract.ts';
import { ago } from '../deployment/ago.ts';
import type { Checked } from '../deployment/check.ts';
import type { SeenAlarm } from '../deployment/observe-alarms.ts';
import {
  type FailedExecution,
  type SeenDeployment,
  type SeenExecutions,
  type SeenSchedule,
  type SeenStreamReader,
  STALE_MS,
} from '../deployment/observe-deployment.ts';
import type { Subject } from '../deployment/subject.ts';
import { readKeys, readTotals } from '../replay/totals.ts';
import { limitOfInput } from '../schedule-limit.ts';
import { isoSeconds, type Pause, pauseOf, pauseOfOne } from '../schedules.ts';
import { keysToShow, listedKeyText } from '../table/key-text.ts';
import { type Finding, finding } from './finding.ts';
import type { FindingId, RemedyValues } from './findings.ts';
import { SAMPLES } from './item-findings.ts';
import { notCheckedFindings, type Unchecked } from './not-checked.ts';

/** Step Functions, per account and region; it cannot be raised. Source: Step Functions quotas. */
export const OPEN_MAP_RUNS = 1000;
const MAP_RUNS_WARNING = 0.8 * OPEN_MAP_RUNS;

/** Executions of ticks at once: each runs until its upcoming minute is over, and a slow one somewhat longer. */
const OPEN_TICKS = 3;

/** Characters of a cause in prose that are shown. */
const CAUSE_LENGTH = 300;

export interface DeploymentOptions {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly mask: boolean;
  /** Map Runs that the sweeps of all tables of the configuration have open at once. */
  readonly mapRuns: number;
  /** Of the stream that the table has now; undefined when it has none, or when it could not be asked. */
  readonly streamArn: string | undefined;
}

/** What is wrong with what is deployed for a table. */
export function deploymentFindings(
  seen: SeenDeployment,
  subject: Subject,
  options: DeploymentOptions,
): Finding[] {
  const { name, enabled } = subject.props;
  const pause = pauseOf(seenSchedules(seen), options.now);
  const unchecked: Unchecked[] = [];
  const judge = <Seen>(
    what: string,
    checked: Checked<Seen>,
    findings: (seen: Seen) => Finding[],
  ): Finding[] => {
    if ('seen' in checked) return findings(checked.seen);
    unchecked.push({ what, why: checked.notChecked });
    return [];
  };
  const found = [
    ...judge('the state machine and its executions', seen.stateMachine, machine =>
      machine === undefined
        ? [finding('state-machine-missing', subject, { detail: `expected ${name} in ${subject.region}` })]
        : [],
    ),
    ...[...seen.schedules].flatMap(([schedule, checked]) =>
      judge(`the schedule ${schedule}`, checked, one =>
        scheduleFindings(one, schedule, pause === 'mixed', arnOf(seen), subject, options.now),
      ),
    ),
    ...(enabled ? byHandFindings(pause, seen, subject) : [finding('sweep-paused', subject)]),
    ...(seen.executions === undefined
      ? []
      : judge('the executions', seen.executions, executions => {
          const { causesNotChecked: why } = executions;
          if (why !== undefined) unchecked.push({ what: 'the causes of failed executions', why });
          return executionFindings(executions, seen, isPaused(pause, seen), subject, options);
        })),
    ...judge('the dead-letter queue', seen.deadLetters, messages =>
      queueFindings(messages, deadLetterQueueOf(subject.props.sweep), subject),
    ),
    ...[...seen.streamReaders].flatMap(([reader, checked]) =>
      judge(`what calls ${reader}`, checked, mappings =>
        streamReaderFindings(mappings, reader, subject, options),
      ),
    ),
    ...judge('the alarms', seen.alarms, alarms => alarmFindings(alarms, subject, options)),
    // The findings of the items say what has come of it.
    ...judge('the attribute by which the deployed functions hold items', seen.holdAttribute, () => []),
    ...judge('the concurrency of Lambda', seen.concurrency, limit => concurrencyFindings(limit, subject)),
  ];
  return [...found, ...notCheckedFindings(unchecked, subject)];
}

function arnOf({ stateMachine }: SeenDeployment): string | undefined {
  return 'seen' in stateMachine ? stateMachine.seen?.arn : undefined;
}

/** Those that are there. */
function seenSchedules({ schedules }: SeenDeployment): SeenSchedule[] {
  return [...schedules.values()].flatMap(checked => ('seen' in checked ? (checked.seen ?? []) : []));
}

/** Whether somebody has paused all schedules, and nothing is wrong with them. */
function isPaused(pause: Pause, seen: SeenDeployment): boolean {
  return seenSchedules(seen).length > 0 && pause !== 'on' && pause !== 'mixed';
}

/** What `pause` and `limit` have changed. */
function byHandFindings(pause: Pause, seen: SeenDeployment, subject: Subject): Finding[] {
  const limits = new Set(seenSchedules(seen).map(({ input }) => limitOfInput(input)));
  limits.delete(undefined);
  const until = typeof pause === 'object' ? `until ${isoSeconds(pause.until)}` : 'until somebody resumes it';
  return [
    ...(isPaused(pause, seen) ? [finding('sweep-paused-by-hand', subject, { detail: until })] : []),
    ...(limits.size > 0
      ? [finding('sweep-limited', subject, { detail: `${[...limits].join(' or ')} deletes a second` })]
      : []),
  ];
}

/** @param isMixed some of the schedules are paused, and others are not */
function scheduleFindings(
  seen: SeenSchedule | undefined,
  name: string,
  isMixed: boolean,
  machineArn: string | undefined,
  subject: Subject,
  now: number,
): Finding[] {
  const { enabled } = subject.props;
  if (!enabled) return seen === undefined ? [] : [finding('schedule-not-paused', subject, { detail: name })];
  if (seen === undefined) return [finding('schedule-missing', subject, { detail: name })];
  const wanted = schedulesOf(deploymentOf([subject.props])).find(schedule => schedule.name === name);
  const fires = pauseOfOne(seen, now) === 'on';
  const differences = wanted === undefined ? [] : differencesOf(seen, wanted, machineArn);
  return [
    ...(isMixed && !fires ? [finding('schedule-disabled', subject, { detail: name })] : []),
    ...(differences.length > 0
      ? [finding('schedule-differs', subject, { detail: `${name}: ${differences.join('; ')}` })]
      : []),
  ];
}

function differencesOf(
  seen: SeenSchedule,
  { expression, input }: DeployedSchedule,
  machineArn: string | undefined,
): string[] {
  return [
    ...(seen.expression === expression ? [] : [`expected ${expression}, got ${seen.expression}`]),
    ...(sameJson(seen.input, { ...input, ...limitAsSeen(seen) })
      ? []
      : [`expected the input ${JSON.stringify(input)}, got ${seen.input}`]),
    ...(machineArn === undefined || seen.target === machineArn
      ? []
      : [`expected the target ${machineArn}, got ${seen.target}`]),
  ];
}

/** A limit by hand is a finding of its own. */
function limitAsSeen({ input }: SeenSchedule): object {
  const perSecond = limitOfInput(input);
  return perSecond === undefined ? {} : { maxDeletesPerSecond: perSecond };
}

/** Whether a text is this value as JSON, whatever the order of its fields. */
function sameJson(text: string, wanted: object): boolean {
  try {
    return sorted(JSON.parse(text)) === sorted(wanted);
  } catch {
    return false;
  }
}

const sorted = (value: object): string => JSON.stringify(Object.entries(value ?? {}).sort());

function executionFindings(
  { lastSuccess, failed, moreFailed, running }: SeenExecutions,
  { stateMachine }: SeenDeployment,
  paused: boolean,
  subject: Subject,
  { now, mask, mapRuns }: DeploymentOptions,
): Finding[] {
  const createdAt = 'seen' in stateMachine ? stateMachine.seen?.createdAt : undefined;
  const since = lastSuccess ?? createdAt;
  const isStale = since === undefined || now - since.getTime() > STALE_MS;
  const last = lastSuccess === undefined ? 'none has ever' : `the last one ended ${ago(now, lastSuccess)}`;
  const open = Math.max(mapRuns, running);
  return [
    ...(subject.props.enabled && !paused && isStale
      ? [finding('no-recent-sweep', subject, { detail: last, values: timesSince(since, subject, now) })]
      : []),
    ...failureFindings(failed, moreFailed, lastSuccess, subject, { now, mask }),
    ...(open >= MAP_RUNS_WARNING
      ? [
          finding('map-runs', subject, {
            detail:
              `the tables of the configuration use ${mapRuns} of ${OPEN_MAP_RUNS.toLocaleString('en-US')}, and ` +
              `${running} executions of this one are running`,
          }),
        ]
      : []),
  ];
}

function failureFindings(
  failed: readonly FailedExecution[],
  moreFailed: boolean,
  lastSuccess: Date | undefined,
  subject: Subject,
  { now, mask }: Pick<DeploymentOptions, 'now' | 'mask'>,
): Finding[] {
  const values = timesSince(failed.at(-1)?.stoppedAt, subject, now);
  const [newest] = failed;
  if (newest === undefined) return [];
  const isFailing = lastSuccess === undefined || newest.stoppedAt > lastSuccess;
  const undeletable = failed.flatMap(execution => readKeys(execution).failedKeys);
  const { tableName } = subject.props;
  const logKeys = keysToShow(subject.props.logKeys, mask);
  const keys = { tableName, keyNames: keyAttributeNames(subject.model), logKeys };
  const samples = new Set(
    undeletable.map(failure => {
      const text = listedKeyText(failure, keys);
      return text === undefined ? failure.reason : `${text} (${failure.reason})`;
    }),
  );
  return [
    finding(isFailing ? 'executions-failing' : 'executions-failed', subject, {
      count: failed.length,
      values,
      samples: failed.slice(0, SAMPLES).map(({ name }) => name),
      detail: `${moreFailed ? 'at least these; ' : ''}the newest one ${describeFailure(newest, logKeys !== 'full')}`,
    }),
    ...(undeletable.length > 0
      ? [
          finding('undeletable-keys', subject, {
            // Without keys, what is listed twice cannot be told apart.
            count: logKeys === 'none' ? undeletable.length : samples.size,
            samples: [...samples].slice(0, SAMPLES),
            values,
          }),
        ]
      : []),
  ];
}

/** A tick runs for about two minutes, and a failed one may have waited for as long again. */
const TICK_MINUTES = 5;
const A_DAY_MS = 86_400_000;

/**
 * The span that a replay takes to delete what has expired since a tick, and what that tick looked back to.
 * @param time a day ago where nobody knows
 * @param now epoch milliseconds
 */
function timesSince(
  time: Date | undefined,
  { props: { lookbackMinutes, graceSeconds } }: Subject,
  now: number,
): Pick<RemedyValues, 'from' | 'to'> {
  const minute = (milliseconds: number) =>
    isoSeconds(Math.floor((milliseconds - graceSeconds * 1000) / 60_000) * 60_000);
  return {
    from: minute((time?.getTime() ?? now - A_DAY_MS) - (lookbackMinutes + TICK_MINUTES) * 60_000),
    to: minute(now),
  };
}

/** With the counts of its report, when it made one: the cause itself names keys, and one in prose can. */
function describeFailure(execution: FailedExecution, mask: boolean): string {
  const { status, stoppedAt, error, cause } = execution;
  const totals = readTotals({ status, cause });
  const why =
    totals === undefined
      ? !mask && cause && (cause.length > CAUSE_LENGTH ? `${cause.slice(0, CAUSE_LENGTH)}…` : cause)
      : `found ${totals.found}, deleted ${totals.deleted}, failed ${totals.failed}`;
  const at = stoppedAt.toISOString().replace(/\.\d+Z$/, 'Z');
  return [`${status} at ${at}`, error, why].filter(part => part).join(': ');
}

function queueFindings(messages: number | undefined, queue: string, subject: Subject): Finding[] {
  if (messages === undefined) return [finding('dead-letter-queue-missing', subject, { detail: queue })];
  return messages === 0 ? [] : [finding('dead-letters', subject, { count: messages, detail: queue })];
}

/** What Lambda says of a batch that succeeded, and of a shard without records. */
const GOOD_RESULTS = ['OK', 'No records processed'];

function streamReaderFindings(
  mappings: readonly SeenStreamReader[],
  reader: StreamFunctionName,
  subject: Subject,
  { streamArn }: Pick<DeploymentOptions, 'streamArn'>,
): Finding[] {
  const readers = mappings.filter(mapping => streamArn === undefined || mapping.streamArn === streamArn);
  if (readers.length > 0) return readers.flatMap(mapping => readerFindings(mapping, reader, subject));
  const [elsewhere] = mappings;
  return elsewhere === undefined
    ? [finding('stream-reader-missing', subject, { detail: `${reader} is not called` })]
    : [
        finding('stream-reader-on-old-stream', subject, {
          detail: `that of ${reader} is ${elsewhere.streamArn}, the table's is ${streamArn}`,
        }),
      ];
}

function readerFindings(
  { state, uuid, lastResult }: SeenStreamReader,
  reader: StreamFunctionName,
  subject: Subject,
): Finding[] {
  if (!/^(Enabled|Enabling|Creating|Updating)$/.test(state)) {
    return [
      finding('stream-reader-off', subject, { detail: `that of ${reader} is ${state}`, values: { uuid } }),
    ];
  }
  if (lastResult === undefined || GOOD_RESULTS.includes(lastResult)) return [];
  return [finding('stream-reader-failing', subject, { detail: `${reader}: ${lastResult}` })];
}

function alarmFindings(
  seen: readonly SeenAlarm[],
  subject: Subject,
  { now }: Pick<DeploymentOptions, 'now'>,
): Finding[] {
  const wanted = alarmNamesOf(deploymentOf([subject.props]));
  const listed = (id: FindingId, names: readonly string[]): Finding[] =>
    names.length === 0 ? [] : [finding(id, subject, { count: names.length, detail: names.join(', ') })];
  const sounding = seen
    .filter(({ state }) => state === 'ALARM')
    .map(({ name, since }) => (since === undefined ? name : `${name} (${ago(now, since)})`));
  return [
    ...listed('alarms-sounding', sounding),
    ...listed(
      'alarms-missing',
      wanted.filter(name => !seen.some(alarm => alarm.name === name)),
    ),
    ...listed(
      'alarms-silent',
      seen.filter(({ hasAction }) => !hasAction).map(({ name }) => name),
    ),
  ];
}

/** Functions that one execution can run at once: each child deletes its chunks at the same time. */
export function functionsAtOnce(subject: Subject): number {
  const { props } = subject;
  const children = Math.min(props.shardConcurrency || ROUND_TARGETS, ROUND_TARGETS);
  return children * props.chunkConcurrency;
}

function concurrencyFindings(limit: number, subject: Subject): Finding[] {
  const wanted = functionsAtOnce(subject);
  if (limit >= wanted) return [];
  const [has, uses] = [limit, wanted].map(number => number.toLocaleString('en-US'));
  return [
    finding('lambda-concurrency', subject, {
      detail: `the account has ${has} left, one execution can use ${uses}`,
      values: { functions: `${wanted}` },
    }),
  ];
}

/** Map Runs that the sweep of a table has open at once: one of each of its executions. */
export function mapRunsOf(props: Subject['props']): number {
  return OPEN_TICKS + schedulesOf(deploymentOf([props])).length - 1;
}
