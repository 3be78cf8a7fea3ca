import { alarmNamesOf } from '../../config/alarms.ts';
import { type TickSchedule, tickSchedule } from '../../config/deployments.ts';
import { deadLetterQueueOf, replayName } from '../../config/names.ts';
import { type DeploymentState, journalName } from '../../functions/journal/layout.ts';
import { CHUNK_KEYS, PAGE_KEYS, REPLAY_CONCURRENCY } from '../../statemachine/contract/limits.ts';
import type { SeenPipe } from '../aws/pipes.ts';
import { type Checked, seenOf } from '../deployment/check.ts';
import type { SeenAlarm, SeenDeployment, SeenSchedule } from '../deployment/observe-deployment.ts';
import type { Subject } from '../deployment/subject.ts';
import type { FindingId } from './findings.ts';
import { type Finding, finding, notCheckedFindings, type Unchecked } from './report.ts';

/**
 * Findings about the resources that are deployed for a table.
 * @param streamArn ARN of the table's current stream; undefined if it has none, or if the table could not be read
 */
export function deploymentFindings(
  seen: SeenDeployment,
  subject: Subject,
  streamArn: string | undefined,
): Finding[] {
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
    ...judge('the state machines', seen.stateMachine, () => missingMachineFindings(seen, subject)),
    ...[...seen.schedules].flatMap(([schedule, checked]) =>
      judge(`the schedule ${schedule}`, checked, one =>
        scheduleFindings(one, schedule, arnOf(seen), subject),
      ),
    ),
    ...judge('the journal', seen.state, state => journalFindings(state, seen, subject)),
    ...judge('the dead-letter queue', seen.deadLetters, messages =>
      queueFindings(messages, deadLetterQueueOf(subject.props.sweep), subject),
    ),
    ...[...seen.pipes].flatMap(([name, checked]) =>
      judge(`the pipe ${name}`, checked, pipe => pipeFindings(pipe, name, subject, streamArn)),
    ),
    ...judge('the alarms', seen.alarms, alarms => alarmFindings(alarms, subject)),
    // The findings about items use the result of this check.
    ...judge('the concurrency of Lambda', seen.concurrency, limit => concurrencyFindings(limit, subject)),
  ];
  return [...found, ...notCheckedFindings(unchecked, subject)];
}

function missingMachineFindings(
  { stateMachine, replayMachine }: SeenDeployment,
  subject: Subject,
): Finding[] {
  const { sweep } = subject.props;
  const missing = [
    ...(seenOf(stateMachine) ? [] : [sweep]),
    ...(seenOf(replayMachine) ? [] : [replayName(sweep)]),
  ];
  return missing.length === 0
    ? []
    : [
        finding('state-machine-missing', subject, {
          detail: `expected ${missing.join(' and ')} in ${subject.region}`,
        }),
      ];
}

function arnOf({ stateMachine }: SeenDeployment): string | undefined {
  return 'seen' in stateMachine ? stateMachine.seen?.arn : undefined;
}

function journalFindings(
  state: DeploymentState | undefined,
  { stateMachine }: SeenDeployment,
  subject: Subject,
): Finding[] {
  const isDeployed = !('seen' in stateMachine) || stateMachine.seen !== undefined;
  const detail = `expected ${journalName(subject.props.sweep)} in ${subject.region}`;
  return state === undefined && isDeployed ? [finding('journal-missing', subject, { detail })] : [];
}

function scheduleFindings(
  seen: SeenSchedule | undefined,
  name: string,
  machineArn: string | undefined,
  subject: Subject,
): Finding[] {
  const { deployment } = subject;
  const tick = tickSchedule(deployment);
  const isTick = name === tick.name;
  if (seen === undefined) return [finding('schedule-missing', subject, { detail: name })];
  const differences = isTick ? differencesOf(seen, tick, machineArn) : [];
  return [
    ...(seen.state === 'ENABLED' ? [] : [finding('schedule-disabled', subject, { detail: name })]),
    ...(differences.length > 0
      ? [finding('schedule-differs', subject, { detail: `${name}: ${differences.join('; ')}` })]
      : []),
  ];
}

function differencesOf(
  seen: SeenSchedule,
  { expression, input }: TickSchedule,
  machineArn: string | undefined,
): string[] {
  return [
    ...(seen.expression === expression ? [] : [`expected ${expression}, got ${seen.expression}`]),
    ...(sameJson(seen.input, input)
      ? []
      : [`expected the input ${JSON.stringify(input)}, got ${seen.input}`]),
    ...(machineArn === undefined || seen.target === machineArn
      ? []
      : [`expected the target ${machineArn}, got ${seen.target}`]),
  ];
}

/** Whether a text is this value as JSON. The order of the outermost fields does not matter. */
function sameJson(text: string, wanted: object): boolean {
  try {
    return sorted(JSON.parse(text)) === sorted(wanted);
  } catch {
    return false;
  }
}

const sorted = (value: object): string => JSON.stringify(Object.entries(value ?? {}).sort());

function queueFindings(messages: number | undefined, queue: string, subject: Subject): Finding[] {
  return messages === undefined ? [finding('dead-letter-queue-missing', subject, { detail: queue })] : [];
}

/** States in which a pipe reads its stream, or soon does. */
const READS = /^(RUNNING|CREATING|STARTING|UPDATING)$/;

function pipeFindings(
  seen: SeenPipe | undefined,
  name: string,
  subject: Subject,
  streamArn: string | undefined,
): Finding[] {
  if (seen === undefined) return [finding('pipe-missing', subject, { detail: name })];
  if (streamArn !== undefined && seen.streamArn !== streamArn) {
    const detail = `${name} reads ${seen.streamArn}, the table's is ${streamArn}`;
    return [finding('pipe-on-old-stream', subject, { detail })];
  }
  if (READS.test(seen.state)) return [];
  const detail = [name, 'is', seen.state, ...(seen.reason ? [`(${seen.reason})`] : [])].join(' ');
  return [finding('pipe-off', subject, { detail, values: { pipe: name } })];
}

function alarmFindings(seen: readonly SeenAlarm[], subject: Subject): Finding[] {
  const wanted = alarmNamesOf(subject.deployment);
  const listed = (id: FindingId, names: readonly string[]): Finding[] =>
    names.length === 0 ? [] : [finding(id, subject, { count: names.length, detail: names.join(', ') })];
  return [
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

/** Functions that one execution can run at the same time for a table: each child of a replay deletes the chunks of a page in parallel. */
export const FUNCTIONS_AT_ONCE = (REPLAY_CONCURRENCY * PAGE_KEYS) / CHUNK_KEYS;

function concurrencyFindings(limit: number, subject: Subject): Finding[] {
  if (limit >= FUNCTIONS_AT_ONCE) return [];
  const [has, uses] = [limit, FUNCTIONS_AT_ONCE].map(number => number.toLocaleString('en-US'));
  return [
    finding('lambda-concurrency', subject, {
      detail: `the account has ${has} left, one execution can use ${uses}`,
      values: { functions: `${FUNCTIONS_AT_ONCE}` },
    }),
  ];
}
