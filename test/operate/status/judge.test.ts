import { describeStatus, showLook } from '../../../cli/status/text.ts';
import { tickSchedule } from '../../../config/deployments.ts';
import type { PreciseTtlProps } from '../../../config/props.ts';
import type { Service } from '../../../operate/aws/endpoint.ts';
import { NoAnswerError, type Silence } from '../../../operate/aws/errors.ts';
import type { SeenSchedule } from '../../../operate/deployment/observe-deployment.ts';
import type { SeenJournal } from '../../../operate/deployment/observe-journal.ts';
import { OUTCOME_COUNTS, type Sweep } from '../../../operate/deployment/sweep.ts';
import { goneBy } from '../../../operate/status/gone.ts';
import { judge } from '../../../operate/status/judge.ts';
import type { OverdueLook } from '../../../operate/status/overdue.ts';
import { NAMEABLE } from '../../../operate/status/overdue.ts';
import { REMARK_IDS, REMARKS } from '../../../operate/status/remarks.ts';
import type { SeenTable } from '../../../operate/status/seen-table.ts';
import type { Status } from '../../../operate/status/status.ts';
import { statusReport } from '../../../operate/status/to-report.ts';
import { noCounts } from '../../../statemachine/counts.ts';
import { subjectOf } from '../doctor/subject.ts';

const NOW = Date.parse('2026-11-21T20:00:00Z');
const SECONDS = NOW / 1000;
const before = (minutes: number) => new Date(NOW - minutes * 60_000);
const ARN = 'arn:aws:states:us-east-1:123456789012:stateMachine:precise-ttl-T';

const LOOK: OverdueLook = {
  readAt: SECONDS,
  read: [{ from: SECONDS - 600, upTo: SECONDS }],
  overdue: 0,
  lastMinute: 0,
  named: [],
  unseen: null,
  queries: 11,
};
/** A number of overdue items, the oldest for that many seconds; `lastMinute` of them expired in the last minute. */
const overdueFor = (seconds: number, overdue = 1, lastMinute = 0): Partial<OverdueLook> => ({
  overdue,
  lastMinute,
  named: Array.from({ length: Math.min(overdue, NAMEABLE) }, (_unused, index) => ({
    key: { id: { S: `item-${index}` } },
    ttl: SECONDS - seconds,
  })),
});
const JOURNAL: SeenJournal = {
  tick: before(1),
  watermark: { since: SECONDS - 86_400, gone: SECONDS - 60, at: before(1).toISOString(), shards: 2 },
  pause: undefined,
  last: [],
  failures: [],
};
const ON: SeenSchedule = { state: 'ENABLED', expression: '', input: '{}', target: ARN };
const failure = (minutes: number): Sweep => ({
  name: 'tick-1',
  kind: 'tick',
  status: 'FAILED',
  startedAt: before(minutes),
  stoppedAt: before(minutes),
  outcome: { ...noCounts(OUTCOME_COUNTS), found: 5, deleted: 3, failed: 2, lagMs: null },
  failure: '2 of 5 items could not be deleted',
  failedKeys: [],
});
const throttled = (minutes: number): Sweep => ({
  ...{ ...failure(minutes), status: 'SUCCEEDED', failure: undefined },
  outcome: { ...noCounts(OUTCOME_COUNTS), found: 5, deleted: 5, throttled: 1_540, lagMs: null },
});
const failed = (minutes: number) => ({ last: [failure(minutes)], failures: [failure(minutes)] });
const LOCAL = { notChecked: { reason: 'no endpoint of SQS on this machine', isLocal: true } };
const DENIED = {
  notChecked: { reason: 'dynamodb:Query is not allowed', isLocal: false, remedy: 'Allow it.' },
};

const SILENT_DYNAMODB = silent('DYNAMODB', { kind: 'timed out', seconds: 5 });
const OUT_OF_TIME = silent('DYNAMODB', { kind: 'out of time', seconds: 15, last: undefined });
const SILENT_SFN = silent('SFN', { kind: 'refused', code: 'ECONNREFUSED' });
function silent(service: Service, silence: Silence) {
  const error = new NoAnswerError(service, silence, undefined);
  return { notChecked: { reason: error.reason, isLocal: false, silent: error } };
}

interface Case {
  readonly props?: Partial<PreciseTtlProps>;
  readonly seen?: Partial<SeenTable>;
  readonly journal?: Partial<SeenJournal>;
  readonly overdue?: Partial<OverdueLook>;
  /** Replaces fields of each schedule. */
  readonly schedule?: Partial<SeenSchedule> | null;
}

function statusOf({ props, seen, journal, overdue, schedule = {} }: Case): Status {
  const subject = subjectOf(props);
  const look = { ...LOOK, ...overdue };
  const table: SeenTable = {
    stateMachine: { seen: { arn: ARN, createdAt: before(9999) } },
    schedules: new Map([
      [
        tickSchedule(subject.deployment).name,
        { seen: schedule === null ? undefined : { ...ON, ...schedule } },
      ],
    ]),
    journal: { seen: { ...JOURNAL, ...journal } },
    open: { seen: [] },
    overdue: { seen: look },
    trend: undefined,
    silentSince: NOW - 5_000,
    hasAnswered: true,
    gone: goneBy(look, { watermark: JOURNAL.watermark }),
    deadLetters: { seen: 0 },
    alarms: { seen: [] },
    ...seen,
  };
  const judged = judge(table, subject, NOW);
  return {
    verdict: judged.verdict,
    region: 'us-east-1',
    isLocal: false,
    at: NOW,
    tables: [{ subject, seen: table, judged }],
  };
}

const PAUSE = { since: before(50).toISOString() };
const LONG_AGO = { watermark: { since: 0, gone: SECONDS - 3010, at: '', shards: 2 } };
const BEHIND = { watermark: { since: 0, gone: SECONDS - 7200, at: '', shards: 2 } };
const UNTOLD = { overdue: SILENT_DYNAMODB, gone: { known: false, because: 'unanswered' } } as const;
const ALARM = { state: 'OK', since: before(3), description: '', hasAction: true };
const SOUNDING = { ...ALARM, name: 'precise-ttl-no-sweep', state: 'ALARM', description: 'No sweep.' };

// A remark is named; its words stand here where the causes below do not have them.
test.each<[string, Case, string, readonly (string | RegExp)[]]>([
  ['all is well', {}, 'fine', []],
  ['schedules are off', { schedule: { state: 'DISABLED' } }, 'broken', ['broken scheduleOff']],
  [
    'it is paused for long: what is overdue is expected',
    {
      journal: { ...LONG_AGO, pause: { ...PAUSE, until: '2026-11-21T20:01:00.000Z' } },
      overdue: overdueFor(3000),
    },
    'warnings',
    [
      'warning paused: the table is paused since 2026-11-21T19:10:00Z, until 2026-11-21T20:01:00Z',
      'warning late: an item has been overdue for 50 minutes; more than 11 s is late',
    ],
  ],
  ['schedules are gone', { schedule: null }, 'broken', ['broken scheduleMissing']],
  ['the last tick is ten minutes ago', { journal: { tick: before(10) } }, 'fine', []],
  [
    'it is longer ago, paused or not',
    { journal: { tick: before(11), pause: PAUSE } },
    'broken',
    ['broken noTick: no tick has planned since 2026-11-21T19:49:00Z, for 11 minutes', 'warning paused'],
  ],
  [
    'there was none',
    { journal: { tick: undefined, watermark: undefined } },
    'broken',
    ['broken noTick: no tick has ever planned'],
  ],
  [
    'the newest sweep failed',
    { journal: failed(0.5) },
    'broken',
    ['broken failing: 30 s ago a sweep failed: 2 of 5 items could not be deleted'],
  ],
  [
    'it did, and ticks have found nothing to do since',
    { journal: failed(30) },
    'warnings',
    ['warning failed: 30 minutes ago a sweep failed'],
  ],
  [
    'there was none since it was deployed, a minute ago',
    {
      journal: { tick: undefined, watermark: undefined },
      seen: { stateMachine: { seen: { arn: ARN, createdAt: before(1) } } },
    },
    'fine',
    [],
  ],
  [
    'time was over before DynamoDB had answered: it is not known to be dead',
    { seen: { overdue: OUT_OF_TIME } },
    'unknown',
    [
      'warning notKnown: not known: what is overdue (DynamoDB had not answered when the 15 s of the command were over)',
    ],
  ],
  [
    'one failed, and a later one did not',
    {
      journal: {
        last: [{ ...failure(0.2), status: 'SUCCEEDED', failure: undefined }, failure(0.5)],
        failures: [failure(0.5)],
      },
    },
    'warnings',
    ['warning failed'],
  ],
  [
    'ticks have not come as far as the look',
    { journal: BEHIND },
    'warnings',
    [
      'warning behind: the ticks have come to 2026-11-21T18:00:00Z, and each goes on from there: what was due from then until 2026-11-21T19:50:00Z was not counted here',
    ],
  ],
  [
    'the look did not come so far: that says nothing of theirs',
    { journal: BEHIND, overdue: { unseen: { id: 'indexSlow', text: 'it was slow' } } },
    'warnings',
    ['warning indexSlow: it was slow: it is not known what is overdue'],
  ],
  ['there is no journal', { seen: { journal: { seen: undefined } } }, 'broken', ['broken journalMissing']],
  ['an item is overdue for ten seconds, as promised', { overdue: overdueFor(11) }, 'fine', []],
  [
    'it is longer, and may have been written so late',
    { overdue: overdueFor(12) },
    'fine',
    [/^note late: an item .* for 12 s; more than 11 s is late: what is written less than two minutes/],
  ],
  [
    'once a minute promises two minutes',
    { props: { precision: 'minute' }, overdue: overdueFor(120) },
    'fine',
    [],
  ],
  [
    'and no more',
    { props: { precision: 'minute' }, overdue: overdueFor(121, 7) },
    'warnings',
    ['warning late: 7 items are overdue, the oldest for 2 minutes; more than 120 s is late'],
  ],
  ['it is longer than the next tick takes', { overdue: overdueFor(121) }, 'warnings', ['warning late']],
  ['several ticks have left it', { overdue: overdueFor(192) }, 'broken', ['broken late']],
  [
    'there are dead letters',
    { seen: { deadLetters: { seen: 1 } } },
    'warnings',
    ['warning deadLetters: 1 dead letter: EventBridge'],
  ],
  ['there is no queue', { seen: { deadLetters: { seen: undefined } } }, 'warnings', [/queue is not there/]],
  [
    'an alarm sounds',
    { seen: { alarms: { seen: [SOUNDING, { ...ALARM, name: 'precise-ttl-overdue' }] } } },
    'warnings',
    ['warning alarm: the alarm precise-ttl-no-sweep is in ALARM since 2026-11-21T19:57:00.000Z: No sweep.'],
  ],
  [
    'it is not deployed',
    { seen: { stateMachine: { seen: undefined } } },
    'broken',
    ['broken machineMissing'],
  ],
  [
    'this machine has no queue',
    { seen: { deadLetters: LOCAL } },
    'fine',
    ['note notKnown: not known: the dead letters (no'],
  ],
  [
    'something is not allowed',
    { seen: { journal: DENIED } },
    'warnings',
    ['warning notKnown: not known: the journal (dynamodb:Query is not allowed). Allow it.'],
  ],
  [
    'DynamoDB alone does not answer: it is dead, and nobody says that it throttles',
    { seen: UNTOLD },
    'broken',
    [
      'broken dynamoDbSilent: DynamoDB does not answer since 2026-11-21T19:59:55Z, and other services do: ',
      'warning notKnown: not known: what is overdue (DynamoDB timed out: no answer in 5 s)',
    ],
  ],
  [
    'nothing answers: it may be the network of whoever asks',
    {
      seen: {
        ...{ overdue: SILENT_DYNAMODB, journal: SILENT_DYNAMODB, stateMachine: SILENT_SFN, open: SILENT_SFN },
        ...{ deadLetters: LOCAL, alarms: LOCAL, schedules: new Map() },
      },
    },
    'unknown',
    [
      'warning notKnown: not known: the state machine, the open replays',
      'warning notKnown: not known: the journal, what is overdue',
      'note notKnown',
    ],
  ],
  [
    'Step Functions does not answer: nothing is said of replays, and not that there is no state machine',
    { seen: { stateMachine: SILENT_SFN, open: SILENT_SFN } },
    'unknown',
    [
      'warning notKnown: not known: the state machine, the open replays (Step Functions refused the connection (ECONNREFUSED))',
    ],
  ],
  [
    'DynamoDB throttles every query',
    { overdue: { read: [], unseen: { id: 'indexThrottled', text: 'it throttles' } } },
    'warnings',
    ['warning indexThrottled: it throttles: it is not known what is overdue'],
  ],
  [
    'neither journal nor index are known',
    { seen: { journal: DENIED, overdue: DENIED } },
    'unknown',
    ['warning notKnown'],
  ],
])('%s', (_name, given, verdict, expected) => {
  const status = statusOf(given);
  const remarks = status.tables[0]?.judged.remarks.map(
    ({ severity, id, text }) => `${severity} ${id}: ${text}`,
  );
  expect([status.verdict, remarks?.length]).toEqual([verdict, expected.length]);
  for (const [index, each] of expected.entries()) expect(remarks?.[index]).toMatch(each);
  // Every observation can be described and reported.
  const text = describeStatus(status);
  expect(text).toContain('Table T in us-east-1');
  const [table] = status.tables;
  const isRead = table && 'seen' in table.seen.overdue && table.seen.overdue.seen.read.length > 0;
  // The text shows no number if the index could not be read.
  expect(/^ {2}overdue +not known/m.test(text)).toBe(!isRead);
  if (table && 'notChecked' in table.seen.journal)
    expect(text).not.toMatch(/no tick has|no journal|last sweeps/);
  expect(() => JSON.stringify(statusReport(status))).not.toThrow();
});

const trend = (fewerPerSecond: number, caughtUpAt: number | null = null) => ({
  fewerPerSecond,
  measuredSeconds: 20,
  caughtUpAt,
});
const caused = new Set<string>();
const LATE = overdueFor(300, 1_203, 600);

test.each<[string, Case, string | null, string | RegExp]>([
  ['nothing is wrong', {}, null, ''],
  ['an alarm sounds: that is no cause', { seen: { deadLetters: { seen: 1 } } }, null, ''],
  ['nobody knows', { overdue: LATE }, 'late', /^1,203 items are overdue, the oldest for 5 minutes/],
  [
    'DynamoDB is dead',
    { seen: { overdue: SILENT_DYNAMODB, journal: SILENT_DYNAMODB } },
    'dynamoDbSilent',
    /^DynamoDB does not answer since 2026-11-21T19:59:55Z/,
  ],
  [
    'it is not deployed',
    { seen: { stateMachine: { seen: undefined } } },
    'machineMissing',
    /^there is no state/,
  ],
  ['it has no journal', { seen: { journal: { seen: undefined } } }, 'journalMissing', /^there is no journal/],
  [
    'it is paused, and its limit does not matter',
    {
      props: { maxDeletesPerSecond: 5 },
      journal: { pause: { since: before(5).toISOString() } },
      overdue: LATE,
    },
    'paused',
    'the table is paused since 2026-11-21T19:55:00Z',
  ],
  ['a schedule is gone', { schedule: null, overdue: LATE }, 'scheduleMissing', /is not there/],
  ['a schedule is off', { schedule: { state: 'DISABLED' }, overdue: LATE }, 'scheduleOff', /is off/],
  [
    'ticks have stopped',
    { journal: { tick: before(4) }, overdue: LATE },
    'noTick',
    'no tick has planned since 2026-11-21T19:56:00Z, for 4 minutes',
  ],
  [
    'the last tick left no trace, as quiet ones do',
    { journal: { tick: before(3) }, overdue: LATE },
    'late',
    /^1,203/,
  ],
  ['sweeps fail', { journal: failed(0.5), overdue: LATE }, 'failing', /^30 s ago a sweep failed/],
  ['they failed before', { journal: failed(30), overdue: LATE }, 'late', /^1,203/],
  [
    'DynamoDB throttles the index',
    { overdue: { ...LATE, unseen: { id: 'indexThrottled', text: 'DynamoDB throttles the index' } } },
    'indexThrottled',
    /^DynamoDB throttles the index/,
  ],
  [
    'DynamoDB is not available',
    { overdue: { ...LATE, unseen: { id: 'dynamoDbUnavailable', text: 'DynamoDB is not available (X)' } } },
    'dynamoDbUnavailable',
    /^DynamoDB is not available \(X\)/,
  ],
  [
    'DynamoDB throttles the deletes',
    { overdue: LATE, journal: { last: [throttled(1)] } },
    'deletesThrottled',
    'DynamoDB throttles the deletes: 1,540 in the sweep that ended 60 s ago',
  ],
  [
    'it did, but for a while no sweep has anything to tell',
    { overdue: LATE, journal: { last: [throttled(6)] } },
    'late',
    /^1,203/,
  ],
  ['it does, and nothing is late', { journal: { last: [throttled(1)] } }, null, ''],
  [
    'the limit is too low',
    { props: { maxDeletesPerSecond: 5 }, overdue: LATE, seen: { trend: trend(-5) } },
    'limited',
    'limit 5/s, at least 10/s expire: it will not catch up',
  ],
  [
    'the limit is high enough',
    { props: { maxDeletesPerSecond: 20 }, overdue: LATE, seen: { trend: trend(10, NOW + 120_300) } },
    'limited',
    'limit 20/s, 10 fewer each second (measured for 20 s): at this rate caught up at 2026-11-21T20:02:00Z',
  ],
  [
    'what has expired in the last minute says nothing where nothing older is there',
    { props: { maxDeletesPerSecond: 5 }, overdue: overdueFor(40, 600, 600) },
    'limited',
    'limit 5/s',
  ],
  [
    'it lies further back than ticks look',
    {
      props: { index: { by: 'second' } },
      overdue: { ...overdueFor(7_200), read: [{ from: SECONDS - 4_800, upTo: SECONDS }] },
    },
    'beyondTicks',
    /^what expired before 2026-11-21T19:58:51Z is further back than the ticks look: native TTL .*replay --table T --from 2026-11-21T18:00:00Z --to /,
  ],
  [
    'the backlog becomes smaller',
    { overdue: LATE, seen: { trend: trend(48, NOW + 25_000) } },
    'catchingUp',
    'a backlog is being deleted, 48 fewer each second (measured for 20 s): at this rate caught up at 2026-11-21T20:00:25Z',
  ],
  ['it does not', { overdue: LATE, seen: { trend: trend(0) } }, 'late', /; as many as 20 s before$/],
  [
    'it hardly does',
    { overdue: LATE, seen: { trend: trend(0.15) } },
    'late',
    /; 0\.1 fewer each second \(measured for 20 s\)$/,
  ],
  [
    'an item is late that the limit would allow',
    { props: { maxDeletesPerSecond: 50 }, overdue: overdueFor(300, 499, 10) },
    'late',
    /^499 items/,
  ],
  [
    'it grows',
    { overdue: LATE, seen: { trend: trend(-2.5) } },
    'late',
    /; 2\.5 more each second \(measured for 20 s\)$/,
  ],
])('the first line says the cause: %s', (_name, given, id, text) => {
  const status = statusOf(given);
  const cause = statusReport(status).tables[0]?.cause ?? null;
  expect(cause?.id ?? null).toBe(id);
  if (cause !== null) caused.add(cause.id);
  const [line = ''] = describeStatus(status).split('\n');
  if (cause === null) return expect(line).toMatch(/: (fine|warnings)$/);
  expect(cause.text).toMatch(text);
  return expect(line).toBe(`Table T in us-east-1, 2026-11-21 20:00:00Z: ${status.verdict}: ${cause.text}`);
});

test('every cause has been one here', () => {
  expect(REMARK_IDS.filter(id => REMARKS[id].isCause && !caused.has(id))).toEqual([]);
});

const sentence = (given: Case) => describeStatus(statusOf(given)).split('\n')[1]?.slice(16);

test('the sentence says from when on it holds, and names what is left', () => {
  expect(sentence({})).toBe('everything that was due by 19:59:50Z is gone, back to 2026-11-20 20:00:00Z.');
  const left = [20_000, 400].map((seconds, index) => ({
    key: { id: { S: `item-${index}` } },
    ttl: SECONDS - seconds,
  }));
  expect(sentence({ overdue: { overdue: 2, named: left } })).toBe(
    'everything that was due by 19:59:50Z is gone, all but 2 (oldest 14:26:40Z; keys hmac-sha256:c52324e02bff0d06, hmac-sha256:88a8e73bc8978ab5), back to 2026-11-20 20:00:00Z.',
  );
  expect(statusReport(statusOf({})).tables[0]).toMatchObject({
    gone: { since: '2026-11-20T20:00:00.000Z', by: '2026-11-21T19:59:50.000Z', left: [] },
  });
});

test('nothing seen, and not all looked at, is no number', () => {
  const status = statusOf({
    overdue: { unseen: { id: 'indexThrottled', text: 'DynamoDB throttles the index' } },
  });
  expect(statusReport(status).tables[0]?.overdue).toMatchObject({
    items: null,
    atLeast: true,
    why: 'DynamoDB throttles the index',
  });
  expect(describeStatus(status)).toMatch(
    /overdue +none seen, but not all was read \(.*; DynamoDB throttles the index\)/,
  );
});

test('a terminal is drawn anew, elsewhere lines are appended', () => {
  const written = (isTTY: boolean) => {
    let all = '';
    const screen = { isTTY, write: (text: string) => (all += text) };
    showLook(statusOf({}), screen);
    showLook(
      statusOf({ overdue: overdueFor(30, 2), journal: { pause: { since: before(1).toISOString() } } }),
      screen,
    );
    return all;
  };
  expect(written(false).split('\n').slice(0, 2)).toEqual([
    '20:00:00Z  T: fine; everything that was due by 19:59:50Z is gone, back to 2026-11-20 20:00:00Z; overdue 0 items',
    '20:00:00Z  T: warnings; the table is paused since 2026-11-21T19:59:00Z; everything that was due by 19:59:29Z is gone, back to 2026-11-20 20:00:00Z; overdue 2 items',
  ]);
  const clear = '\u001b[1;1H\u001b[0J';
  expect(written(true).split(clear)).toHaveLength(3);
});
