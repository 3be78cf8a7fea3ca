import { ALARM_NAMES, type AlarmName, alarmNamesOf } from '../../../config/alarms.ts';
import type { PreciseTtlProps } from '../../../config/props.ts';
import { STREAM_FILTER, streamFunctionsOf } from '../../../config/stream-props.ts';
import { tickSchedule } from '../../../config/tick-schedule.ts';
import { NOTHING_SCANNED } from '../../../functions/child/scan.ts';
import type { NotChecked } from '../../../operate/deployment/check.ts';
import type { SeenAlarm } from '../../../operate/deployment/observe-alarms.ts';
import {
  MAX_FAILURES,
  type SeenDeployment,
  type SeenStreamReader,
} from '../../../operate/deployment/observe-deployment.ts';
import { type SeenJournal, STALE_MS } from '../../../operate/deployment/observe-journal.ts';
import { OUTCOME_COUNTS, type Sweep } from '../../../operate/deployment/sweep.ts';
import { type DeploymentOptions, deploymentFindings } from '../../../operate/doctor/deployment-findings.ts';
import { verdictOf } from '../../../operate/doctor/finding.ts';
import { readSpan } from '../../../operate/replay/settings.ts';
import type { NamedEntry, ScanRecord } from '../../../statemachine/contract/targets.ts';
import { noCounts } from '../../../statemachine/counts.ts';
import { subjectOf } from './subject.ts';

const NOW = Date.parse('2026-11-21T20:00:00Z');
const ARN = 'arn:aws:states:us-east-1:123456789012:stateMachine:precise-ttl-T';
const SINCE = '2026-11-21T19:00:00.000Z';
const DENIED: NotChecked = { reason: 'it is not allowed', isLocal: false };

const before = (milliseconds: number) => new Date(NOW - milliseconds);
const JOURNAL: SeenJournal = {
  tick: before(30_000),
  watermark: { since: 0, gone: NOW / 1000 - 60, at: '' },
  pause: undefined,
  handOver: undefined,
  last: [],
  failures: [],
};

const alarm = (name: string, over: Partial<SeenAlarm> = {}): SeenAlarm => ({
  name,
  state: 'OK',
  since: undefined,
  description: '',
  hasAction: true,
  ...over,
});
const SOUNDING = alarm('precise-ttl-no-sweep', { state: 'ALARM', since: before(3_600_000) });

const streamOf = (label: string) => `arn:aws:dynamodb:us-east-1:123456789012:table/T/stream/${label}`;
const STREAM = streamOf('2026-11-21T00:00:00.000');
const OLD_STREAM = streamOf('2026-11-01T00:00:00.000');
const mapping = (over: Partial<SeenStreamReader> = {}): SeenStreamReader => ({
  uuid: 'u',
  streamArn: STREAM,
  state: 'Enabled',
  lastResult: 'OK',
  filters: [JSON.stringify(STREAM_FILTER)],
  ...over,
});

interface Case {
  readonly props?: Partial<PreciseTtlProps>;
  readonly seen?: Partial<SeenDeployment>;
  readonly journal?: Partial<SeenJournal>;
  readonly options?: Partial<DeploymentOptions>;
  /** A state other than ENABLED. */
  readonly state?: string;
}

/** The findings for a deployment without faults, except for the given ones. */
function findings({ props, seen, journal, options, state = 'ENABLED' }: Case) {
  const subject = subjectOf(props);
  const { name, expression, input } = tickSchedule(subject.deployment);
  const schedule = { state, expression, input: JSON.stringify(input), target: ARN };
  const deployment: SeenDeployment = {
    stateMachine: { seen: { arn: ARN, createdAt: before(STALE_MS * 100) } },
    journal: { seen: { ...JOURNAL, ...journal } },
    scans: { seen: undefined },
    schedules: new Map([[name, { seen: schedule }]]),
    deadLetters: { seen: 0 },
    alarms: { seen: alarmNamesOf(subject.deployment).map(name => alarm(name)) },
    concurrency: { seen: 1000 },
    replayMachine: { seen: { arn: `${ARN}-replay`, createdAt: before(STALE_MS * 100) } },
    journalTable: undefined,
    state: { seen: undefined },
    streamReaders: new Map(streamFunctionsOf(subject.props).map(reader => [reader, { seen: [mapping()] }])),
    ...seen,
  };
  return deploymentFindings(deployment, subject, { now: NOW, mask: false, streamArn: undefined, ...options });
}
const failure = (over: Partial<Sweep> = {}): Sweep => ({
  name: 'tick-1',
  kind: 'tick',
  status: 'FAILED',
  startedAt: before(3_600_000),
  stoppedAt: before(3_600_000),
  outcome: { ...noCounts(OUTCOME_COUNTS), lagMs: null },
  failure: '1 child did not get through',
  failedKeys: [],
  ...over,
});
const failures = (...all: readonly Partial<Sweep>[]): Partial<SeenJournal> => {
  const sweeps = all.map(failure);
  return { last: sweeps, failures: sweeps };
};
const tick = (over: object) => {
  const { name, expression, input } = tickSchedule(subjectOf().deployment);
  const seen = { state: 'ENABLED', expression, input: JSON.stringify(input), target: ARN, ...over };
  return { schedules: new Map([[name, { seen }]]) };
};

/** Turns all other alarms off. */
function onlyAlarm(name: AlarmName): Exclude<PreciseTtlProps['alarms'], undefined> {
  return Object.fromEntries(ALARM_NAMES.filter(other => other !== name).map(other => [other, false]));
}

const STREAMED = { archive: {}, events: { eventBus: 'default' } };

/** The given mappings for the archive's function, on a table with {@link STREAM}; the other function has the correct one. */
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
  return alarmNamesOf(subjectOf().deployment).map(name => alarm(name, { state: 'INSUFFICIENT_DATA' }));
}

const NO_SCHEDULE = { schedules: new Map([['precise-ttl-tick', { seen: undefined }]]) };
const sounds = (name: AlarmName, seen: readonly SeenAlarm[]): Case => ({
  ...{ props: { alarms: onlyAlarm(name) }, seen: { alarms: { seen } } },
});

test.each<[string, Case, string[]]>([
  ['all is well with the stream', { props: STREAMED }, []],
  ['nothing was read from it yet', archiveReader({ lastResult: undefined }), []],
  ['a shard is empty', archiveReader({ lastResult: 'No records processed' }), []],
  ['what reads it is being changed', archiveReader({ state: 'Updating' }), []],
  ['nothing reads it', archiveReader(), ['stream-reader-missing']],
  ['what reads it is off', archiveReader({ state: 'Disabled' }), ['stream-reader-off']],
  ['what reads it goes off', archiveReader({ state: 'Disabling' }), ['stream-reader-off']],
  [
    'what reads it has another filter',
    archiveReader({ filters: ['{"eventName":["INSERT"]}', 'no JSON'] }),
    ['stream-reader-filtered'],
  ],
  [
    'what reads it lets nothing through but some removals',
    archiveReader({ filters: ['{"eventName":["REMOVE"],"userIdentity":{"type":["Service"]}}'] }),
    ['stream-reader-filtered'],
  ],
  ['what reads it is called for more than removals', archiveReader({ filters: [] }), []],
  [
    'it is called for other things, too',
    archiveReader({ filters: ['{"eventName":["INSERT"]}', '{ "eventName": ["REMOVE"] }'] }),
    [],
  ],
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
  ['the last tick is ten minutes ago', { journal: { tick: before(STALE_MS) } }, []],
  ['it is longer ago', { journal: { tick: before(STALE_MS + 1) } }, ['no-recent-tick']],
  ['there was none', { journal: { tick: undefined } }, ['no-recent-tick']],
  [
    'there was none, as it was just deployed',
    { journal: { tick: undefined }, seen: { stateMachine: { seen: { arn: ARN, createdAt: before(1000) } } } },
    [],
  ],
  [
    'there is nothing',
    { seen: { stateMachine: { seen: undefined }, journal: { seen: undefined } } },
    ['state-machine-missing'],
  ],
  ['nothing can be replayed', { seen: { replayMachine: { seen: undefined } } }, ['state-machine-missing']],
  ['there is no journal', { seen: { journal: { seen: undefined } } }, ['journal-missing']],
  ['the schedules are off', { state: 'DISABLED' }, ['schedule-disabled']],
  ['it is paused by hand', { journal: { pause: { since: SINCE } } }, ['sweep-paused-by-hand']],
  [
    'it is paused by hand, and nothing comes through',
    { journal: { pause: { since: SINCE }, tick: before(STALE_MS * 2) } },
    ['sweep-paused-by-hand', 'no-recent-tick'],
  ],
  [
    'the configuration has none',
    { props: { enabled: false }, seen: NO_SCHEDULE, journal: { tick: undefined } },
    ['sweep-paused'],
  ],
  [
    'the configuration wants none, and they are there',
    { props: { enabled: false } },
    ['schedule-not-paused', 'sweep-paused'],
  ],
  ['a schedule is gone', { seen: NO_SCHEDULE }, ['schedule-missing']],
  ['a schedule comes at other times', { seen: tick({ expression: 'rate(1 minute)' }) }, ['schedule-differs']],
  ['a schedule has another input', { seen: tick({ input: '{"lookbackMinutes":5}' }) }, ['schedule-differs']],
  ['a schedule has an input that is no JSON', { seen: tick({ input: '' }) }, ['schedule-differs']],
  ['a schedule starts another machine', { seen: tick({ target: `${ARN}-old` }) }, ['schedule-differs']],
  ['a sweep failed, and ticks had nothing to do since', { journal: failures({}) }, ['executions-failed']],
  ['the newest one failed', { journal: failures({ stoppedAt: before(1000) }) }, ['executions-failing']],
  ['messages are in the queue', { seen: { deadLetters: { seen: 1 } } }, ['dead-letters']],
  ['there is no queue', { seen: { deadLetters: { seen: undefined } } }, ['dead-letter-queue-missing']],
  ['the configuration asks for no alarms', { props: { alarms: false }, seen: { alarms: { seen: [] } } }, []],
  ['the alarms are missing', { seen: { alarms: { seen: [] } } }, ['alarms-missing']],
  ['one sounds', sounds('noSweep', [SOUNDING]), ['alarms-sounding']],
  [
    'it tells nobody',
    sounds('noSweep', [alarm('precise-ttl-no-sweep', { hasAction: false })]),
    ['alarms-silent'],
  ],
  ['an alarm has no data', { seen: { alarms: { seen: quiet() } } }, []],
  ['the account has as many functions as are needed', { seen: { concurrency: { seen: 200 } } }, []],
  ['it has one less', { seen: { concurrency: { seen: 199 } } }, ['lambda-concurrency']],
  ['one may not read the journal', { seen: { journal: { notChecked: DENIED } } }, ['not-checked']],
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

test('a failure is told with its reason and what it found', () => {
  const at = 'at 2026-11-21T19:00:00Z';
  const outcome = { ...noCounts(OUTCOME_COUNTS), found: 2, failed: 2, lagMs: null };
  const [first] = findings({
    journal: failures({ outcome, failure: '2 of 2 items could not be deleted' }, {}),
  });
  expect(first?.what).toMatch(
    new RegExp(`the newest one ${at}: 2 of 2 items could not be deleted \\(found 2, failed 2\\)$`),
  );
  expect(first).toMatchObject({ count: 2, samples: ['tick-1', 'tick-1'] });
  const [many] = findings({ journal: failures(...Array.from({ length: MAX_FAILURES }, () => ({}))) });
  expect(many?.what).toContain(`at least these; the newest one ${at}: 1 child did not get through`);
});

test('keys that could not be deleted are listed once, and masked where wanted', () => {
  const failedKeys: Sweep['failedKeys'] = [
    { key: { id: { S: 'secret' } }, reason: 'ValidationError' },
    { key: { id: { S: 'secret' } }, reason: 'ValidationError' },
    { keyStart: '{"id":{"S":"long', reason: 'Unprocessed' },
    { key: 'hmac-sha256:0123456789abcdef', reason: 'ValidationError' },
  ];
  const samplesOf = (mask: boolean) =>
    findings({ journal: failures({ failedKeys }), options: { mask } }).find(
      ({ id }) => id === 'undeletable-keys',
    );
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
  const found = findings({ props: { logKeys: 'none' }, journal: failures({ failedKeys }) });
  expect(found.find(({ id }) => id === 'undeletable-keys')).toMatchObject({
    count: 1,
    samples: ['ValidationError'],
  });
  expect(JSON.stringify(found)).not.toMatch(/secret|sha256/);
});

test.each<[string, Parameters<typeof findings>[0]]>([
  ['no-recent-tick', { journal: { tick: before(3 * 3_600_000) } }],
  ['no-recent-tick', { journal: { tick: undefined, watermark: undefined } }],
  ['executions-failing', { journal: failures({ stoppedAt: before(1000) }) }],
])('the replay that %s proposes is of times: %j', (id, seen) => {
  const remedy = findings(seen).find(each => each.id === id)?.remedy ?? '';
  const [, from = '', to = ''] = /replay --table T --from (\S+) --to (\S+)$/.exec(remedy) ?? [];
  const settings = { lookbackMinutes: 10, precisionSeconds: 1, maxDeletesPerSecond: 0 };
  const span = readSpan({ from, to }, NOW, settings);
  expect(span.to).toBe(Math.floor(NOW / 1000 / 60) * 60);
  expect(span.from).toBeLessThan(span.to - 15 * 60 + 60);
});

test.each([
  [[], 'healthy'],
  [['note'], 'healthy'],
  [['note', 'warning'], 'warnings'],
  [['warning', 'broken', 'note'], 'broken'],
] as const)('findings that are %j are %s', (severities, verdict) => {
  expect(verdictOf(severities.map(severity => ({ severity })))).toBe(verdict);
});

test('a pause by hand says until when', () => {
  const [paused] = findings({ journal: { pause: { since: SINCE, until: before(-60_000).toISOString() } } });
  expect(paused).toMatchObject({
    what: 'the sweep is paused by hand: paused since 2026-11-21T19:00:00Z, until 2026-11-21T20:01:00Z',
    remedy: expect.stringContaining('resume --table T'),
  });
});

describe('of the last scan of the index', () => {
  const scanned = (record: Partial<ScanRecord>, hoursAgo = 5) => {
    const endedAt = before(hoursAgo * 3_600_000).toISOString();
    const finished = {
      ...{ beganAt: endedAt, endedAt },
      record: { ...NOTHING_SCANNED, scanned: 12_040_112, ...record },
    };
    return { seen: { scans: { seen: { running: undefined, finished } } } };
  };

  test('nothing is said where all is well', () => {
    expect(findings(scanned({}))).toEqual([]);
  });

  test('what no sample would show is told, with keys', () => {
    const named = (is: NamedEntry['is'], id: string): NamedEntry => ({ is, key: { id: { S: id } }, ttl: 1 });
    const found = findings(
      scanned({
        ...{ outOfRange: 3, misfiled: 500, fractional: 7 },
        named: [
          named('overdue', 'o'),
          named('milliseconds', 'm'),
          named('misfiled', 'w'),
          named('fractional', 'f'),
        ],
      }),
    );
    expect(found.map(({ id, count, samples }) => [id, count, samples])).toEqual([
      ['scan-out-of-range', 3, [expect.stringContaining('"m"')]],
      ['scan-misfiled', 500, [expect.stringContaining('"w"')]],
      ['scan-fractional', 7, [expect.stringContaining('"f"')]],
    ]);
  });

  test.each<[string, number, Case['props'], readonly string[]]>([
    ['two days ago', 48, {}, []],
    ['longer ago', 49, {}, ['scan-old']],
    ['longer ago, with indexScan off', 49, { index: { scan: 'off' } }, []],
  ])('it ended %s', (_when, hours, props, ids) => {
    const found = findings({ ...scanned({}, hours), ...(props && { props }) });
    expect(found.map(({ id }) => id)).toEqual(ids);
  });
});
