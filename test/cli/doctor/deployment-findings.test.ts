import type { NotChecked } from '../../../cli/deployment/check.ts';
import type { SeenAlarm } from '../../../cli/deployment/observe-alarms.ts';
import {
  type FailedExecution,
  type SeenDeployment,
  type SeenExecutions,
  type SeenStreamReader,
  STALE_MS,
} from '../../../cli/deployment/observe-deployment.ts';
import {
  type DeploymentOptions,
  deploymentFindings,
  mapRunsOf,
} from '../../../cli/doctor/deployment-findings.ts';
import { verdictOf } from '../../../cli/doctor/finding.ts';
import { readSpan } from '../../../cli/replay/span.ts';
import { NO_TOTALS } from '../../../cli/replay/totals.ts';
import { ALARM_NAMES, type AlarmName, alarmNamesOf } from '../../../stacks/alarms.ts';
import type { PreciseTtlProps } from '../../../stacks/props.ts';
import { schedulesOf } from '../../../stacks/schedules-of.ts';
import { streamFunctionsOf } from '../../../stacks/stream-props.ts';
import { subjectOf } from './subject.ts';

const NOW = Date.parse('2026-11-21T20:00:00Z');
const ARN = 'arn:aws:states:us-east-1:123456789012:stateMachine:precise-ttl-T';
const DENIED: NotChecked = { reason: 'it is not allowed', isLocal: false };

const before = (milliseconds: number) => new Date(NOW - milliseconds);
const EXECUTIONS: SeenExecutions = {
  lastSuccess: before(30_000),
  failed: [],
  moreFailed: false,
  causesNotChecked: undefined,
  running: 2,
};

const alarm = (name: string, over: Partial<SeenAlarm> = {}): SeenAlarm => ({
  name,
  state: 'OK',
  since: undefined,
  description: '',
  hasAction: true,
  ...over,
});
const SOUNDING = alarm('precise-ttl-T-no-sweep', { state: 'ALARM', since: before(3_600_000) });

const streamOf = (label: string) => `arn:aws:dynamodb:us-east-1:123456789012:table/T/stream/${label}`;
const STREAM = streamOf('2026-11-21T00:00:00.000');
const OLD_STREAM = streamOf('2026-11-01T00:00:00.000');
const mapping = (over: Partial<SeenStreamReader> = {}): SeenStreamReader => ({
  uuid: 'u',
  streamArn: STREAM,
  state: 'Enabled',
  lastResult: 'OK',
  ...over,
});

interface Case {
  readonly props?: Partial<PreciseTtlProps>;
  readonly seen?: Partial<SeenDeployment>;
  readonly executions?: Partial<SeenExecutions>;
  readonly options?: Partial<DeploymentOptions>;
  /** What Scheduler has instead of ENABLED. */
  readonly state?: string;
  /** Of the schedules with these names only; of all of them without. */
  readonly only?: string;
  readonly startDate?: Date;
  /** Of all inputs. */
  readonly perSecond?: number;
}

/** What is found where all is as it should be, but for what is given. */
function findings({ props, seen, executions, options, ...byHand }: Case) {
  const subject = subjectOf(props);
  const { perSecond, startDate, only = '' } = byHand;
  const schedules = schedulesOf(subject.props).map(({ name, expression, input }) => {
    const limited = { ...input, ...(perSecond !== undefined && { maxDeletesPerSecond: perSecond }) };
    // The order of the fields is whoever's who wrote them.
    const reversed = Object.fromEntries(Object.entries(limited).reverse());
    const isMeant = name.endsWith(only);
    const state = (isMeant && byHand.state) || 'ENABLED';
    const firing = { state, ...(isMeant && { startDate }) };
    return [name, { seen: { ...firing, expression, input: JSON.stringify(reversed), target: ARN } }] as const;
  });
  const deployment: SeenDeployment = {
    stateMachine: { seen: { arn: ARN, createdAt: before(STALE_MS * 100) } },
    executions: { seen: { ...EXECUTIONS, ...executions } },
    schedules: new Map(schedules),
    deadLetters: { seen: 0 },
    alarms: { seen: alarmNamesOf(subject.props).map(name => alarm(name)) },
    concurrency: { seen: 1000 },
    holdAttribute: { seen: undefined },
    streamReaders: new Map(streamFunctionsOf(subject.props).map(reader => [reader, { seen: [mapping()] }])),
    ...seen,
  };
  return deploymentFindings(deployment, subject, {
    now: NOW,
    mask: false,
    mapRuns: 4,
    streamArn: undefined,
    ...options,
  });
}
const failure = (over: Partial<FailedExecution> = {}): FailedExecution => ({
  name: 'tick-1',
  status: 'FAILED',
  stoppedAt: before(3_600_000),
  ...over,
});
const tick = (over: object) => {
  const [schedule] = schedulesOf(subjectOf().props);
  const input = JSON.stringify(schedule?.input);
  const seen = { state: 'ENABLED', expression: schedule?.expression ?? '', input, target: ARN, ...over };
  return { schedules: new Map([[schedule?.name ?? '', { seen }]]) };
};

/** All others are turned off. */
function onlyAlarm(name: AlarmName): Exclude<PreciseTtlProps['alarms'], undefined> {
  return Object.fromEntries(ALARM_NAMES.filter(other => other !== name).map(other => [other, false]));
}

const STREAMED = { archive: {}, events: { eventBus: 'default' } };

/** The archive's function has these mappings, of a table with {@link STREAM}; the other one has what it should have. */
function archiveReader(...mappings: Partial<SeenStreamReader>[]): Case {
  return {
    props: STREAMED,
    seen: {
      streamReaders: new Map([
        ['ArchiveExpiries', { seen: mappings.map(mapping) }],
        ['PublishExpiries', { seen: [mapping()] }],
      ]),
    },
    options: { streamArn: STREAM },
  };
}

function quiet(): SeenAlarm[] {
  return alarmNamesOf(subjectOf().props).map(name => alarm(name, { state: 'INSUFFICIENT_DATA' }));
}

test.each<[string, Case, string[]]>([
  ['all is well with the stream', { props: STREAMED }, []],
  ['nothing was read from it yet', archiveReader({ lastResult: undefined }), []],
  ['a shard is empty', archiveReader({ lastResult: 'No records processed' }), []],
  ['what reads it is being changed', archiveReader({ state: 'Updating' }), []],
  ['nothing reads it', archiveReader(), ['stream-reader-missing']],
  ['what reads it is off', archiveReader({ state: 'Disabled' }), ['stream-reader-off']],
  ['what reads it goes off', archiveReader({ state: 'Disabling' }), ['stream-reader-off']],
  [
    'what reads it fails',
    archiveReader({ lastResult: 'PROBLEM: Function call failed' }),
    ['stream-reader-failing'],
  ],
  [
    'what reads it reads one that the table had before',
    archiveReader({ streamArn: OLD_STREAM }),
    ['stream-reader-on-old-stream'],
  ],
  [
    'two read what the table had before, and are off',
    archiveReader(
      { streamArn: OLD_STREAM, state: 'Disabled' },
      { streamArn: OLD_STREAM, lastResult: 'PROBLEM' },
    ),
    ['stream-reader-on-old-stream'],
  ],
  [
    'one more reads the old one to its end',
    archiveReader({ streamArn: OLD_STREAM, lastResult: 'PROBLEM' }, {}),
    [],
  ],
  [
    'one reads the old one, and the other is off',
    archiveReader({ streamArn: OLD_STREAM }, { state: 'Disabled' }),
    ['stream-reader-off'],
  ],
  [
    'which stream the table has is not known',
    { ...archiveReader({ streamArn: OLD_STREAM, state: 'Disabled' }), options: {} },
    ['stream-reader-off'],
  ],
  ['all is well', {}, []],
  ['shards take three reconciles', { props: { shards: 100, chunkConcurrency: 1 } }, []],
  ['the last success is ten minutes ago', { executions: { lastSuccess: before(STALE_MS) } }, []],
  ['it is longer ago', { executions: { lastSuccess: before(STALE_MS + 1) } }, ['no-recent-sweep']],
  ['there was none', { executions: { lastSuccess: undefined } }, ['no-recent-sweep']],
  [
    'there was none, as it was just deployed',
    {
      executions: { lastSuccess: undefined },
      seen: { stateMachine: { seen: { arn: ARN, createdAt: before(1000) } } },
    },
    [],
  ],
  [
    'there is no state machine',
    { seen: { stateMachine: { seen: undefined }, executions: undefined } },
    ['state-machine-missing'],
  ],
  ['the schedules are paused by hand', { state: 'DISABLED' }, ['sweep-paused-by-hand']],
  ['they are paused for a while', { startDate: before(-1000) }, ['sweep-paused-by-hand']],
  ['that while is over', { startDate: before(0) }, []],
  [
    'nothing has run since they were paused',
    { state: 'DISABLED', executions: { lastSuccess: undefined } },
    ['sweep-paused-by-hand'],
  ],
  ['one of them is paused', { state: 'DISABLED', only: 'tick' }, ['schedule-disabled']],
  [
    'one of them is paused for a while',
    { startDate: before(-1000), only: 'reconcile' },
    ['schedule-disabled'],
  ],
  ['they are limited by hand', { perSecond: 200 }, ['sweep-limited']],
  [
    'they are limited and paused',
    { perSecond: 200, state: 'DISABLED' },
    ['sweep-paused-by-hand', 'sweep-limited'],
  ],
  [
    'the configuration has none',
    {
      props: { enabled: false },
      seen: { schedules: new Map([['precise-ttl-T-tick', { seen: undefined }]]) },
      executions: { lastSuccess: undefined },
    },
    ['sweep-paused'],
  ],
  [
    'the configuration wants none, and they are there',
    { props: { enabled: false } },
    ['schedule-not-paused', 'schedule-not-paused', 'sweep-paused'],
  ],
  [
    'a schedule is gone',
    { seen: { schedules: new Map([['precise-ttl-T-tick', { seen: undefined }]]) } },
    ['schedule-missing'],
  ],
  ['a schedule comes at other times', { seen: tick({ expression: 'rate(1 minute)' }) }, ['schedule-differs']],
  ['a schedule has another input', { seen: tick({ input: '{"lookbackMinutes":5}' }) }, ['schedule-differs']],
  ['a schedule has an input that is no JSON', { seen: tick({ input: '' }) }, ['schedule-differs']],
  ['a schedule starts another machine', { seen: tick({ target: `${ARN}-old` }) }, ['schedule-differs']],
  [
    'an execution failed, and others succeeded',
    { executions: { failed: [failure()] } },
    ['executions-failed'],
  ],
  [
    'the newest one failed',
    { executions: { failed: [failure({ stoppedAt: before(1000) })] } },
    ['executions-failing'],
  ],
  ['messages are in the queue', { seen: { deadLetters: { seen: 1 } } }, ['dead-letters']],
  ['there is no queue', { seen: { deadLetters: { seen: undefined } } }, ['dead-letter-queue-missing']],
  // 20 children that look back, one that polls, each with ten chunks.
  ['the configuration asks for no alarms', { props: { alarms: false }, seen: { alarms: { seen: [] } } }, []],
  ['the alarms are missing', { seen: { alarms: { seen: [] } } }, ['alarms-missing']],
  [
    'one sounds',
    { props: { alarms: onlyAlarm('noSweep') }, seen: { alarms: { seen: [SOUNDING] } } },
    ['alarms-sounding'],
  ],
  [
    'it tells nobody',
    {
      props: { alarms: onlyAlarm('noSweep') },
      seen: { alarms: { seen: [alarm('precise-ttl-T-no-sweep', { hasAction: false })] } },
    },
    ['alarms-silent'],
  ],
  ['an alarm has no data', { seen: { alarms: { seen: quiet() } } }, []],
  ['the account has as many functions as are needed', { seen: { concurrency: { seen: 210 } } }, []],
  ['it has one less', { seen: { concurrency: { seen: 209 } } }, ['lambda-concurrency']],
  // 0 = as many as a round has: 200.
  [
    'children are not limited',
    { props: { shardConcurrency: 0 }, seen: { concurrency: { seen: 1999 } } },
    ['lambda-concurrency'],
  ],
  ['it has enough for those', { props: { shardConcurrency: 0 }, seen: { concurrency: { seen: 2000 } } }, []],
  ['the Map Runs are near the quota', { options: { mapRuns: 800 } }, ['map-runs']],
  ['they are not', { options: { mapRuns: 799 } }, []],
  ['executions do not end', { executions: { running: 1000 } }, ['map-runs']],
  ['one may not see executions', { seen: { executions: { notChecked: DENIED } } }, ['not-checked']],
  [
    'one may not see causes',
    { executions: { failed: [failure()], causesNotChecked: DENIED } },
    ['executions-failed', 'not-checked'],
  ],
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

test('a failure is told with its report, and another one with its cause, cut', () => {
  const at = 'FAILED at 2026-11-21T19:00:00Z';
  const withReport = failure({
    error: 'SweepIncompleteError',
    cause: JSON.stringify({ ...NO_TOTALS, found: 2, failed: 2 }),
  });
  const [ofReport] = findings({ executions: { failed: [withReport, failure()] } });
  expect(ofReport?.what).toContain(
    `the newest one ${at}: SweepIncompleteError: found 2, deleted 0, failed 2`,
  );
  expect(ofReport).toMatchObject({ count: 2, samples: ['tick-1', 'tick-1'] });
  const [ofProse] = findings({
    executions: { failed: [failure({ error: 'E', cause: 'x'.repeat(500) })], moreFailed: true },
  });
  expect(ofProse?.what).toMatch(new RegExp(`at least these; the newest one ${at}: E: x{300}…$`));
  const executions = { failed: [failure({ error: 'E', cause: 'of the key secret' })] };
  const [masked] = findings({ executions, options: { mask: true } });
  expect(masked?.what).toMatch(new RegExp(`the newest one ${at}: E$`));
});

test('keys that could not be deleted are listed once, and masked where wanted', () => {
  const failedKeys = [
    { key: { id: { S: 'secret' } }, reason: 'ValidationError' },
    { key: { id: { S: 'secret' } }, reason: 'ValidationError' },
    { keyStart: '{"id":{"S":"long', reason: 'Unprocessed' },
    { key: 'hmac-sha256:0123456789abcdef', reason: 'ValidationError' },
  ];
  const failed = [failure({ cause: JSON.stringify({ ...NO_TOTALS, failed: 4, failedKeys }) })];
  const samplesOf = (mask: boolean) =>
    findings({ executions: { failed }, options: { mask } }).find(({ id }) => id === 'undeletable-keys');
  expect(samplesOf(false)).toMatchObject({
    count: 3,
    samples: [
      '{"id":{"S":"secret"}} (ValidationError)',
      '{"id":{"S":"long… (Unprocessed)',
      'hmac-sha256:0123456789abcdef (ValidationError)',
    ],
  });
  for (const sample of samplesOf(true)?.samples ?? [])
    expect(sample).toMatch(/^hmac-sha256:[0-9a-f]{16} \(\w+\)$/);
});

test('a table whose keys are shown nowhere has them in no finding, also of a report that has them', () => {
  const failedKeys = [{ key: { id: { S: 'secret' } }, reason: 'ValidationError' }];
  const cause = JSON.stringify({ ...NO_TOTALS, failed: 1, failedKeys });
  const failed = [failure({ cause }), failure({ cause: 'of the key secret' })];
  const found = findings({ props: { logKeys: 'none' }, executions: { failed } });
  expect(found.find(({ id }) => id === 'undeletable-keys')).toMatchObject({
    count: 1,
    samples: ['ValidationError'],
  });
  expect(JSON.stringify(found)).not.toMatch(/secret|sha256/);
});

test.each<[string, Parameters<typeof findings>[0]]>([
  ['no-recent-sweep', { executions: { lastSuccess: before(3 * 3_600_000) } }],
  ['no-recent-sweep', { executions: { lastSuccess: undefined } }],
  ['executions-failing', { executions: { failed: [failure({ stoppedAt: before(1000) })] } }],
  [
    'executions-failing',
    { props: { graceSeconds: 600 }, executions: { failed: [failure({ stoppedAt: before(1000) })] } },
  ],
])('the replay that %s proposes is of times: %j', (id, seen) => {
  const remedy = findings(seen).find(each => each.id === id)?.remedy ?? '';
  const [, from = '', to = ''] = /replay --table T --from (\S+) --to (\S+)$/.exec(remedy) ?? [];
  const settings = { lookbackMinutes: 10, precisionSeconds: 1, maxDeletesPerSecond: 0, graceSeconds: 0 };
  const span = readSpan({ from, to }, NOW, settings);
  const { graceSeconds = 0 } = seen.props ?? {};
  expect(span.to).toBe(Math.floor((NOW / 1000 - graceSeconds) / 60) * 60);
  expect(span.from).toBeLessThan(span.to - 15 * 60 + 60);
});

test('each execution of a sweep has one Map Run', () => {
  expect(mapRunsOf(subjectOf().props)).toBe(4);
  expect(mapRunsOf(subjectOf({ shards: 100, granularityMinutes: 1 }).props)).toBe(6);
});

test.each([
  [[], 'healthy'],
  [['note'], 'healthy'],
  [['note', 'warning'], 'warnings'],
  [['warning', 'broken', 'note'], 'broken'],
] as const)('findings that are %j are %s', (severities, verdict) => {
  expect(verdictOf(severities.map(severity => ({ severity })))).toBe(verdict);
});

test('a pause by hand says until when, and a limit how much', () => {
  const [paused] = findings({ startDate: before(-60_000) });
  expect(paused).toMatchObject({
    what: 'the sweep is paused by hand: until 2026-11-21T20:01:00Z',
    remedy: expect.stringContaining('resume --table T'),
  });
  const [limited] = findings({ perSecond: 200 });
  expect(limited?.what).toBe('the sweep is limited by hand: 200 deletes a second');
});
