import type { Service } from '../../../cli/aws/endpoint.ts';
import { NoAnswerError, type Silence } from '../../../cli/aws/no-answer.ts';
import type { SeenSchedule } from '../../../cli/deployment/observe-deployment.ts';
import type { SeenJournal } from '../../../cli/deployment/observe-journal.ts';
import type { Sweep } from '../../../cli/deployment/sweep.ts';
import { OUTCOME_COUNTS } from '../../../cli/deployment/sweep-outcome.ts';
import { goneBy } from '../../../cli/status/gone.ts';
import type { Status } from '../../../cli/status/job.ts';
import { judge } from '../../../cli/status/judge.ts';
import type { OverdueLook } from '../../../cli/status/overdue.ts';
import { statusReport } from '../../../cli/status/report.ts';
import type { SeenTable } from '../../../cli/status/seen-table.ts';
import { describeStatus } from '../../../cli/status/text.ts';
import { showLook } from '../../../cli/status/watch.ts';
import type { PreciseTtlProps } from '../../../stacks/props.ts';
import { schedulesOf } from '../../../stacks/schedules-of.ts';
import { noCounts } from '../../../statemachine/counts.ts';
import { subjectOf } from '../doctor/subject.ts';

const NOW = Date.parse('2026-11-21T20:00:00Z');
const SECONDS = NOW / 1000;
const before = (minutes: number) => new Date(NOW - minutes * 60_000);
const ARN = 'arn:aws:states:us-east-1:123456789012:stateMachine:precise-ttl-T';

const LOOK: OverdueLook = {
  readAt: SECONDS,
  read: { from: SECONDS - 600, upTo: SECONDS },
  oldest: null,
  unansweredFrom: null,
  overdue: 0,
  atLeast: false,
  held: 0,
  heldUnknown: false,
  why: null,
  queries: 11,
};
const JOURNAL: SeenJournal = {
  tick: before(1),
  watermark: { since: SECONDS - 86_400, gone: SECONDS - 60, at: before(1).toISOString() },
  pause: undefined,
  limit: undefined,
  handOver: undefined,
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
  /** Of each schedule. */
  readonly schedule?: Partial<SeenSchedule> | null;
}

function statusOf({ props, seen, journal, overdue, schedule = {} }: Case): Status {
  const subject = subjectOf(props);
  const look = { ...LOOK, ...overdue };
  const table: SeenTable = {
    stateMachine: { seen: { arn: ARN, createdAt: before(9999) } },
    schedules: new Map(
      schedulesOf(subject.deployment).map(({ name }) => [
        name,
        { seen: schedule === null ? undefined : { ...ON, ...schedule } },
      ]),
    ),
    journal: { seen: { ...JOURNAL, ...journal } },
    open: { seen: [] },
    overdue: { seen: look },
    gone: goneBy(look, JOURNAL.watermark),
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

test.each<[string, Case, string, readonly (string | RegExp)[]]>([
  ['all is well', {}, 'fine', []],
  ['it is limited', { journal: { limit: 50 } }, 'fine', ['note: it is limited to 50 deletes a second']],
  [
    'an execution has its backlog',
    { journal: { handOver: { before: SECONDS, until: SECONDS + 60, execution: 'e' } } },
    'fine',
    ['note: the execution e sweeps what was due before 2026-11-21T20:00:00Z'],
  ],
  [
    'schedules are off',
    { schedule: { state: 'DISABLED' } },
    'broken',
    [/^broken: the schedule precise-ttl-tick is off: somebody/, /reconcile is off/],
  ],
  [
    'it is paused for long: what is overdue is expected',
    {
      journal: { pause: { since: before(50).toISOString(), until: '2026-11-21T20:01:00.000Z' } },
      overdue: { oldest: SECONDS - 3000 },
    },
    'warnings',
    [
      'warning: the table is paused since 2026-11-21T19:10:00Z, until 2026-11-21T20:01:00Z',
      'warning: an item has been overdue for 50 minutes',
    ],
  ],
  [
    'it is paused until somebody resumes it',
    { journal: { pause: { since: before(50).toISOString() } } },
    'warnings',
    ['warning: the table is paused since 2026-11-21T19:10:00Z'],
  ],
  [
    'the configuration has it off',
    { props: { enabled: false }, schedule: null, journal: { tick: before(60) } },
    'warnings',
    ['warning: no tick sweeps it, as the configuration says (enabled: false)'],
  ],
  [
    'schedules are gone',
    { schedule: null },
    'broken',
    [/^broken: .*tick is not there/, /^broken: .*reconcile is not/],
  ],
  ['the last tick is ten minutes ago', { journal: { tick: before(10) } }, 'fine', []],
  [
    'it is longer ago, paused or not',
    { journal: { tick: before(11), pause: { since: before(50).toISOString() } } },
    'broken',
    ['broken: no tick has planned for 11 minutes', /^warning: the table is paused/],
  ],
  [
    'there was none',
    { journal: { tick: undefined, watermark: undefined } },
    'broken',
    ['broken: no tick has ever planned'],
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
    'the newest sweep failed',
    { journal: failed(0.5) },
    'broken',
    ['broken: 30 s ago a sweep failed: 2 of 5 items could not be deleted'],
  ],
  [
    'it did, and ticks have found nothing to do since',
    { journal: failed(30) },
    'warnings',
    [/^warning: 30 minutes ago/],
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
    [/^warning: 30 s ago a sweep failed/],
  ],
  [
    'ticks have not looked far enough back',
    { journal: { watermark: { since: 0, gone: SECONDS - 7200, at: '' } } },
    'warnings',
    [
      'warning: no tick has looked for what was due from 2026-11-21T18:00:00Z to 2026-11-21T19:50:00Z: npx precise-ttl resume --table T replays it',
    ],
  ],
  [
    'there is no journal',
    { seen: { journal: { seen: undefined } } },
    'broken',
    [/^broken: there is no journal precise-ttl-journal in us-east-1; npx precise-ttl deploy, or look/],
  ],
  ['an item is overdue for two minutes', { overdue: { oldest: SECONDS - 120 } }, 'fine', []],
  [
    'it is longer',
    { overdue: { oldest: SECONDS - 121 } },
    'warnings',
    ['warning: an item has been overdue for 2 minutes'],
  ],
  ['it is five minutes and more', { overdue: { oldest: SECONDS - 301 } }, 'broken', [/^broken: an item/]],
  [
    'there are dead letters',
    { seen: { deadLetters: { seen: 1 } } },
    'warnings',
    [/^warning: 1 dead letter: EventBridge/],
  ],
  ['there is no queue', { seen: { deadLetters: { seen: undefined } } }, 'warnings', [/queue is not there/]],
  [
    'an alarm sounds',
    {
      seen: {
        alarms: {
          seen: [
            {
              name: 'precise-ttl-no-sweep',
              state: 'ALARM',
              since: before(3),
              description: 'No sweep.',
              hasAction: true,
            },
            {
              name: 'precise-ttl-overdue',
              state: 'OK',
              since: before(3),
              description: '',
              hasAction: true,
            },
          ],
        },
      },
    },
    'warnings',
    ['warning: the alarm precise-ttl-no-sweep is in ALARM since 2026-11-21T19:57:00.000Z: No sweep.'],
  ],
  ['it is not deployed', { seen: { stateMachine: { seen: undefined } } }, 'broken', [/no state machine/]],
  [
    'this machine has no queue',
    { seen: { deadLetters: LOCAL } },
    'fine',
    [/^note: not known: the dead letters \(no/],
  ],
  [
    'something is not allowed',
    { seen: { journal: DENIED } },
    'warnings',
    ['warning: not known: the journal (dynamodb:Query is not allowed). Allow it.'],
  ],
  [
    'DynamoDB alone does not answer: it is dead, and nobody says that it throttles',
    { seen: { overdue: SILENT_DYNAMODB } },
    'broken',
    [
      /^broken: DynamoDB does not answer here, and other services do: /,
      'warning: not known: what is overdue (DynamoDB timed out: no answer in 5 s)',
    ],
  ],
  [
    'nothing answers: it may be the network of whoever asks',
    {
      seen: {
        overdue: SILENT_DYNAMODB,
        stateMachine: SILENT_SFN,
        journal: SILENT_DYNAMODB,
        open: SILENT_SFN,
        deadLetters: LOCAL,
        alarms: LOCAL,
        schedules: new Map(),
      },
    },
    'unknown',
    [
      /^warning: not known: the state machine, the open replays/,
      /^warning: not known: the journal, what is overdue/,
      /^note/,
    ],
  ],
  [
    'time was over before DynamoDB had answered: it is not known to be dead',
    { seen: { overdue: OUT_OF_TIME } },
    'unknown',
    [
      'warning: not known: what is overdue (DynamoDB had not answered when the 15 s of the command were over)',
    ],
  ],
  [
    'Step Functions does not answer: nothing is said of replays, and not that there is no state machine',
    { seen: { stateMachine: SILENT_SFN, open: SILENT_SFN } },
    'unknown',
    [
      'warning: not known: the state machine, the open replays (Step Functions refused the connection (ECONNREFUSED))',
    ],
  ],
  [
    'DynamoDB throttles every query',
    {
      overdue: {
        read: null,
        unansweredFrom: SECONDS - 600,
        atLeast: true,
        why: 'DynamoDB throttles the index',
      },
    },
    'warnings',
    ['warning: DynamoDB throttles the index: it is not known what is overdue'],
  ],
  [
    'DynamoDB is slow',
    {
      overdue: {
        read: { from: SECONDS - 600, upTo: SECONDS - 300 },
        atLeast: true,
        why: 'DynamoDB had answered 48 queries when 8 s were over',
      },
    },
    'warnings',
    ['warning: DynamoDB had answered 48 queries when 8 s were over: it is not known what else is overdue'],
  ],
  [
    'DynamoDB does not say whether what is overdue is held',
    { overdue: { overdue: 1, oldest: SECONDS - 400, heldUnknown: true } },
    'warnings',
    ['warning: an item has been overdue for 7 minutes, or is held: DynamoDB did not say'],
  ],
  [
    'neither journal nor index are known',
    { seen: { journal: DENIED, overdue: DENIED } },
    'unknown',
    [/^warning/],
  ],
])('%s', (_name, given, verdict, expected) => {
  const status = statusOf(given);
  const remarks = status.tables[0]?.judged.remarks.map(({ severity, text }) => `${severity}: ${text}`) ?? [];
  expect([status.verdict, remarks.length]).toEqual([verdict, expected.length]);
  for (const [index, each] of expected.entries()) expect(remarks[index]).toMatch(each);
  // Whatever was seen, it can be told and written.
  const text = describeStatus(status);
  expect(text).toContain('Table T in us-east-1');
  const [table] = status.tables;
  const isRead = table && 'seen' in table.seen.overdue && table.seen.overdue.seen.read !== null;
  // Where it could not look it says nothing of what there is.
  expect(/^ {2}overdue +not known/m.test(text)).toBe(!isRead);
  if (table && 'notChecked' in table.seen.journal)
    expect(text).not.toMatch(/no tick has|no journal|last sweeps/);
  expect(() => JSON.stringify(statusReport(status))).not.toThrow();
});

test('a terminal is drawn anew, elsewhere lines are appended', () => {
  const written = (isTTY: boolean) => {
    let all = '';
    const screen = { isTTY, write: (text: string) => (all += text) };
    showLook(statusOf({}), screen);
    showLook(statusOf({ overdue: { overdue: 2, oldest: SECONDS - 30 } }), screen);
    return all;
  };
  expect(written(false).split('\n').slice(0, 2)).toEqual([
    '20:00:00Z  T: fine; everything that was due by 19:59:50Z is gone, back to 2026-11-20 20:00:00Z; overdue 0 items',
    '20:00:00Z  T: fine; everything that was due by 19:59:29Z is gone, back to 2026-11-20 20:00:00Z; overdue 2 items',
  ]);
  const clear = '\u001b[1;1H\u001b[0J';
  expect(written(true).split(clear)).toHaveLength(3);
});
