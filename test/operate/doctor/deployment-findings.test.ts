import { alarmNamesOf } from '../../../config/alarms.ts';
import { tickSchedule } from '../../../config/deployments.ts';
import { pipeName } from '../../../config/names.ts';
import { pipesOf } from '../../../config/pipe-props.ts';
import type { PreciseTtlProps } from '../../../config/props.ts';
import type { SeenPipe } from '../../../operate/aws/pipes.ts';
import type { NotChecked } from '../../../operate/deployment/check.ts';
import type { SeenAlarm, SeenDeployment } from '../../../operate/deployment/observe-deployment.ts';
import { deploymentFindings } from '../../../operate/doctor/deployment-findings.ts';
import { verdictOf } from '../../../operate/doctor/report.ts';
import { subjectOf } from './subject.ts';

const NOW = Date.parse('2026-11-21T20:00:00Z');
const ARN = 'arn:aws:states:us-east-1:123456789012:stateMachine:precise-ttl-T';
const DENIED: NotChecked = { reason: 'it is not allowed', isLocal: false };

const before = (milliseconds: number) => new Date(NOW - milliseconds);
const alarm = (name: string, over: Partial<SeenAlarm> = {}): SeenAlarm => ({
  name,
  state: 'OK',
  since: undefined,
  description: '',
  hasAction: true,
  ...over,
});

const streamOf = (label: string) => `arn:aws:dynamodb:us-east-1:123456789012:table/T/stream/${label}`;
const STREAM = streamOf('2026-11-21T00:00:00.000');
const OLD_STREAM = streamOf('2026-11-01T00:00:00.000');
const RUNNING: SeenPipe = { streamArn: STREAM, state: 'RUNNING', reason: undefined };

interface Case {
  readonly props?: Partial<PreciseTtlProps>;
  readonly seen?: Partial<SeenDeployment>;
  readonly streamArn?: string | undefined;
  /** A state other than ENABLED. */
  readonly state?: string;
}

/** The findings for a deployment without faults, except for the given ones. */
function findings({ props, seen, streamArn, state = 'ENABLED' }: Case) {
  const subject = subjectOf(props);
  const { name, expression, input } = tickSchedule(subject.deployment);
  const schedule = { state, expression, input: JSON.stringify(input), target: ARN };
  const deployment: SeenDeployment = {
    stateMachine: { seen: { arn: ARN, createdAt: before(1000) } },
    schedules: new Map([[name, { seen: schedule }]]),
    deadLetters: { seen: 0 },
    alarms: { seen: alarmNamesOf(subject.deployment).map(name => alarm(name)) },
    concurrency: { seen: 1000 },
    replayMachine: { seen: { arn: `${ARN}-replay`, createdAt: before(1000) } },
    state: { seen: { control: { pauses: {} }, watermarks: { tables: {} } } },
    pipes: new Map(pipesOf(subject.props).map(pipe => [pipeName(subject.props, pipe), { seen: RUNNING }])),
    ...seen,
  };
  return deploymentFindings(deployment, subject, streamArn);
}
const tick = (over: object) => {
  const { name, expression, input } = tickSchedule(subjectOf().deployment);
  const seen = { state: 'ENABLED', expression, input: JSON.stringify(input), target: ARN, ...over };
  return { schedules: new Map([[name, { seen }]]) };
};

const PIPED = { archive: true, events: { to: 'arn:aws:sqs:us-east-1:123456789012:expired' } } as const;

/** The pipe of the archive, on a table with {@link STREAM}; that of the events has no fault. */
function archivePipe(seen: Partial<SeenPipe> | undefined): Case {
  const pipes = new Map([
    ['precise-ttl-T-archive', { seen: seen && { ...RUNNING, ...seen } }],
    ['precise-ttl-T-queue', { seen: RUNNING }],
  ]);
  return { props: PIPED, seen: { pipes }, streamArn: STREAM };
}

const NO_SCHEDULE = { schedules: new Map([['precise-ttl-tick', { seen: undefined }]]) };
const toldNobody = (silent: string): Case => ({
  seen: {
    alarms: {
      seen: alarmNamesOf(subjectOf().deployment).map(name => alarm(name, { hasAction: name !== silent })),
    },
  },
});

test.each<[string, Case, string[]]>([
  ['all is well with the pipes', { props: PIPED, streamArn: STREAM }, []],
  ['a pipe is being changed', archivePipe({ state: 'UPDATING' }), []],
  ['a pipe is not there', archivePipe(undefined), ['pipe-missing']],
  ['a pipe was stopped', archivePipe({ state: 'STOPPED' }), ['pipe-off']],
  ['a pipe could not be started', archivePipe({ state: 'START_FAILED' }), ['pipe-off']],
  [
    'a pipe reads a stream that the table had before',
    archivePipe({ streamArn: OLD_STREAM }),
    ['pipe-on-old-stream'],
  ],
  [
    'which stream the table has is not known',
    { ...archivePipe({ streamArn: OLD_STREAM, state: 'STOPPED' }), streamArn: undefined },
    ['pipe-off'],
  ],
  ['all is well', {}, []],
  [
    'there is nothing',
    { seen: { stateMachine: { seen: undefined }, state: { seen: undefined } } },
    ['state-machine-missing'],
  ],
  ['nothing can be replayed', { seen: { replayMachine: { seen: undefined } } }, ['state-machine-missing']],
  ['there is no journal', { seen: { state: { seen: undefined } } }, ['journal-missing']],
  ['the schedules are off', { state: 'DISABLED' }, ['schedule-disabled']],
  ['a schedule is gone', { seen: NO_SCHEDULE }, ['schedule-missing']],
  ['a schedule comes at other times', { seen: tick({ expression: 'rate(1 minute)' }) }, ['schedule-differs']],
  ['a schedule has another input', { seen: tick({ input: '{"lookbackMinutes":5}' }) }, ['schedule-differs']],
  ['a schedule has an input that is no JSON', { seen: tick({ input: '' }) }, ['schedule-differs']],
  ['a schedule starts another machine', { seen: tick({ target: `${ARN}-old` }) }, ['schedule-differs']],
  ['there is no queue', { seen: { deadLetters: { seen: undefined } } }, ['dead-letter-queue-missing']],
  ['the configuration asks for no alarms', { props: { alarms: false }, seen: { alarms: { seen: [] } } }, []],
  ['the alarms are missing', { seen: { alarms: { seen: [] } } }, ['alarms-missing']],
  ['one tells nobody', toldNobody('precise-ttl-no-sweep'), ['alarms-silent']],
  ['the account has as many functions as are needed', { seen: { concurrency: { seen: 800 } } }, []],
  ['it has one less', { seen: { concurrency: { seen: 799 } } }, ['lambda-concurrency']],
  ['one may not read the journal', { seen: { state: { notChecked: DENIED } } }, ['not-checked']],
  [
    'nothing may be asked, for one reason',
    { seen: { deadLetters: { notChecked: DENIED }, concurrency: { notChecked: DENIED } } },
    ['not-checked'],
  ],
  [
    'nothing may be asked, for two',
    {
      seen: {
        deadLetters: { notChecked: { ...DENIED, reason: 'no answer' } },
        concurrency: { notChecked: DENIED },
      },
    },
    ['not-checked', 'not-checked'],
  ],
])('when %s', (_when, given, expected) => {
  expect(findings(given).map(({ id }) => id)).toEqual(expected);
});

test.each([
  [[], 'healthy'],
  [['note'], 'healthy'],
  [['note', 'warning'], 'warnings'],
  [['warning', 'broken', 'note'], 'broken'],
] as const)('findings that are %j are %s', (severities, verdict) => {
  expect(verdictOf(severities.map(severity => ({ severity })))).toBe(verdict);
});
