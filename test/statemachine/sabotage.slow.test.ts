import fc from 'fast-check';
import { expiryModel } from '../../expiry/model.ts';
import { SWEEP_INCOMPLETE } from '../../statemachine/contract/machines.ts';
import { reportOf, type SimulatedCall, Simulation } from '../support/simulation/simulation.ts';

/*
 * One table of a tick whose functions answer anything but what they should. The others are swept as if nothing was: in the same execution,
 * and to the second. What States.Runtime is for on AWS, and what no Catch takes, is a Choice, a Wait, a Pass or a Succeed that cannot do
 * what it says; the emulator fails an iteration for each as AWS does, and with it all others.
 */

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;
const GOOD = ['good-1', 'good-2'] as const;
const BAD = 'bad';

type FunctionName = SimulatedCall['name'];
type Answer = Record<string, unknown>;
type Sabotage = (answer: Answer, call: SimulatedCall) => unknown;

/** Seconds from the tick at which an item of each table expires: some before it, some in its minute. */
const EXPIRIES = [
  ...Array.from({ length: 10 }, (_unused, index) => -30 + 3 * index),
  ...Array.from({ length: 12 }, (_unused, index) => 60 + 5 * index),
];

const KIB_256 = 262_144;
const text = (bytes: number, character = 'x') =>
  character.repeat(Math.floor(bytes / Buffer.byteLength(character)));

/** Each child of a table gets some of the items. */
async function tickWith(
  name: FunctionName | undefined,
  sabotage: Sabotage,
  badIndexedBy: 'window' | 'second' = 'window',
  ofAll: (answer: unknown) => unknown = answer => answer,
) {
  const simulation = new Simulation({
    start: START,
    callMs: 20,
    tables: [GOOD[0], BAD, GOOD[1]].map(table => ({
      name: table,
      model: expiryModel({
        partitionKey: 'id',
        ...(table === BAD && badIndexedBy === 'second'
          ? { indexedBy: 'second' }
          : { granularityMinutes: 1440, shards: 2 }),
      }),
    })),
    // What goes on for ever does not take for ever to test.
    failingCall: (called, { input }) => (called === name && isOfBad(input) ? { hangsMs: 1500 } : undefined),
    answering: (answer, call) =>
      call.name === name ? ofAll(ofBad(answer as Answer, call, sabotage)) : answer,
  });
  for (const { items } of simulation.tables) {
    for (const [index, second] of EXPIRIES.entries()) items.write(`${second}`, START + second, index % 2);
  }
  simulation.tick(START);
  await simulation.finish();
  return simulation;
}

/** PlanSweep and RecordMetrics answer for all tables: what they say of the bad one is replaced. */
function ofBad(answer: Answer, call: SimulatedCall, sabotage: Sabotage): unknown {
  if (call.name === 'plan-sweep') {
    const groups = answer['groups'] as readonly { readonly due: readonly Answer[] }[];
    const ofGroup = (due: readonly Answer[]) =>
      due.map(child => (child['table'] === BAD ? sabotage(child, call) : child));
    return { ...answer, groups: groups.map(({ due }) => ({ due: ofGroup(due) })) };
  }
  if (call.name === 'record-metrics') {
    const tables = answer['tables'] as Answer;
    return BAD in tables ? sabotage(answer, call) : answer;
  }
  return isOfBad(call.input) ? sabotage(answer, call) : answer;
}

function isOfBad(input: unknown): boolean {
  const { settings } = input as { readonly settings?: { readonly tableName: string } };
  return settings?.tableName === BAD;
}

function expectOthersUnharmed(simulation: Simulation, tellsOfBad = true) {
  for (const name of GOOD) {
    const { deleted, items } = simulation.named(name);
    expect(items.ids()).toEqual([]);
    const late = deleted.filter(({ ttl, deletedAt }) => ttl >= START && deletedAt - ttl * 1000 > 500);
    expect(late).toEqual([]);
    const reports = simulation.reportsOf(name);
    expect(reports.reduce((sum, report) => sum + report.deleted, 0)).toBe(EXPIRIES.length);
    for (const report of reports)
      expect(report).toMatchObject({ failed: 0, shardsFailed: 0, tablesFailed: 0 });
  }
  for (const { status, error } of simulation.executionsOf('tick')) {
    expect(error ?? status).toBe(status === 'SUCCEEDED' ? 'SUCCEEDED' : SWEEP_INCOMPLETE);
  }
  expect(simulation.executionsOf('tick')).toHaveLength(1);
  if (tellsOfBad) expect(simulation.reportsOf(BAD).length).toBeGreaterThan(0);
}

test('without sabotage all three tables are swept', async () => {
  const simulation = await tickWith(undefined, answer => answer);
  expectOthersUnharmed(simulation);
  expect(simulation.named(BAD).items.ids()).toEqual([]);
  for (const { status } of simulation.executions) expect(status).toBe('SUCCEEDED');
});

/** What is no answer of a function, and none of DynamoDB. */
const NO_ANSWER: readonly [string, Sabotage][] = [
  ['null', () => null],
  ['a text', () => 'nonsense'],
  ['a list of lists', () => [[[]], [null]]],
  ['nothing', () => ({})],
];

const TOO_MUCH: readonly [string, Sabotage][] = [
  ['more than 256 KiB', answer => ({ ...answer, more: text(KIB_256) })],
  ['256 KiB beyond ASCII', answer => ({ ...answer, more: text(KIB_256, '€') })],
];

/** What no state can go on with, whichever function says it. */
const NONSENSE: readonly [string, Sabotage][] = [
  ...NO_ANSWER,
  ['another next', answer => ({ ...answer, next: 'nonsense' })],
  ['no progress', ({ progress: _progress, ...answer }) => answer],
  ['a progress of null', answer => ({ ...answer, progress: null })],
  ['timeoutSeconds 0', answer => ({ ...answer, timeoutSeconds: 0 })],
  ['timeoutSeconds of a fraction', answer => ({ ...answer, timeoutSeconds: 0.5 })],
  ['a wait without until', answer => ({ ...answer, next: 'wait', until: null })],
  ['a wait until no time', answer => ({ ...answer, next: 'wait', until: 'nonsense' })],
  ['a wait until a day that is not', answer => ({ ...answer, next: 'wait', until: '2026-02-30T00:00:00Z' })],
  ['a wait until 2099', answer => ({ ...answer, next: 'wait', until: '2099-01-01T00:00:00Z' })],
  [
    'waits until the past, again and again',
    answer => ({ ...answer, next: 'wait', until: '2001-01-01T00:00:00Z' }),
  ],
  ['the end, and a text for a result', answer => ({ ...answer, next: 'end', result: 'nonsense' })],
  ...TOO_MUCH,
  ...[250, 150, 50].map((room): [string, Sabotage] => [
    `a progress of 256 KiB less ${room} bytes`,
    answer => ({
      next: answer['next'],
      timeoutSeconds: 3,
      until: null,
      progress: { more: text(KIB_256 - room) },
    }),
  ]),
];

describe.each<FunctionName>(['plan-sweep', 'query-expired', 'delete-chunk'])('%s answers', name => {
  test.each(NONSENSE)('%s', async (what, sabotage) => {
    const simulation = await tickWith(name, sabotage);
    // A whole plan that is too large is no one table's: the execution fails before anything is swept.
    const isWholePlan = name === 'plan-sweep' && /256 KiB/.test(what);
    if (isWholePlan) expect(simulation.executions[0]?.error).toMatch(/^States\.DataLimitExceeded$/);
    // A chunk that says of none of its keys what became of it has nothing to tell.
    else expectOthersUnharmed(simulation, name !== 'delete-chunk' || what !== 'a progress of null');
  });
});

const COUNTED = { found: 1, deleted: 1 };

describe('query-expired answers', () => {
  test.each<[string, Sabotage]>([
    ['query, for ever', answer => ({ ...answer, next: 'query' })],
    ['delete, for ever', answer => ({ ...answer, next: 'delete', chunks: [] })],
    ['chunks that are none', answer => ({ ...answer, next: 'delete', chunks: [null, 5, 'x', {}, []] })],
    [
      'a chunk with a number for its deadline',
      answer => withChunks(answer, chunk => ({ ...chunk, deadline: 5 })),
    ],
    [
      'a chunk that waits for no time',
      answer => withChunks(answer, chunk => ({ ...chunk, next: 'wait', until: 'x' })),
    ],
    [
      'a result with texts for its counts',
      answer => ({ ...answer, next: 'end', result: { ...COUNTED, deleted: 'all', complete: true } }),
    ],
    ['a result with other lists', answer => endsWith(answer, { failedKeys: [null], sampleKeys: 5 })],
    ['a result with a lag of texts', answer => endsWith(answer, { lagCounts: { x: 'y' }, lagMaxMs: 'z' })],
    ['a result that hands on nonsense', answer => endsWith(answer, { resume: { windows: 5 } })],
    ['a result of 100 KB', answer => endsWith(answer, { more: text(100_000) })],
    ['a result of 15,000 characters beyond ASCII', answer => endsWith(answer, { more: text(45_000, '€') })],
  ])('%s', async (_name, sabotage) => {
    expectOthersUnharmed(await tickWith('query-expired', sabotage));
  });
});

function withChunks(answer: Answer, change: (chunk: Answer) => unknown): unknown {
  const chunks = answer['chunks'] as Answer[];
  return { ...answer, chunks: chunks.map(change) };
}

function endsWith(answer: Answer, more: Answer): unknown {
  const { counts } = answer['progress'] as { readonly counts: Answer };
  return { ...answer, next: 'end', result: { ...counts, complete: true, interrupted: false, ...more } };
}

describe('delete-chunk answers', () => {
  test.each<[string, Sabotage]>([
    ['delete, for ever', answer => ({ ...answer, next: 'delete' })],
    [
      'delete, for ever, with a later deadline',
      answer => ({ ...answer, next: 'delete', deadline: '2099-01-01T00:00:00.000Z' }),
    ],
    [
      'keys that it was not given',
      answer => ({ ...answer, keys: [{ key: { other: { S: text(1000) } }, ttl: -1 }] }),
    ],
    ['a progress of texts', answer => ({ ...answer, progress: { attempts: 'x', failed: 'y' } })],
    [
      'failed keys of 10 KB each',
      answer => ({
        ...answer,
        progress: {
          ...(answer['progress'] as Answer),
          failed: Array.from({ length: 25 }, () => ({ key: { id: { S: text(10_000) } }, reason: text(500) })),
        },
      }),
    ],
  ])('%s', async (_name, sabotage) => {
    expectOthersUnharmed(await tickWith('delete-chunk', sabotage));
  });
});

describe.each<FunctionName>(['query-expired', 'delete-chunk'])('%s fails', name => {
  test.each<[string, string]>([
    ['with an error whose name is beyond ASCII', text(200_000, '€')],
    ['with an error without a name', ''],
    ['as if for too much data', 'States.DataLimitExceeded'],
  ])('%s', async (_name, errorName) => {
    const fail = () => {
      throw Object.assign(new Error(text(1000)), { name: errorName });
    };
    const simulation = await tickWith(name, fail);
    expectOthersUnharmed(simulation);
  });
});

describe('record-metrics answers', () => {
  test.each<[string, Sabotage]>([
    [
      'another report',
      answer => ({ ...answer, tables: { ...(answer['tables'] as Answer), [BAD]: text(1000) } }),
    ],
    ['complete that is a text', answer => ({ ...answer, complete: 'yes' })],
  ])('%s', async (_name, sabotage) => {
    expectOthersUnharmed(await tickWith('record-metrics', sabotage));
  });

  test.each(NO_ANSWER)('%s: nothing is told, and the execution says so', async (_name, sabotage) => {
    const simulation = await tickWith('record-metrics', sabotage);
    for (const name of GOOD) expect(simulation.named(name).items.ids()).toEqual([]);
    for (const { error } of simulation.executions) expect(error).toBe(SWEEP_INCOMPLETE);
  });
});

/** SABOTAGE_RUNS=300 looks longer. */
const RUNS = Number(process.env['SABOTAGE_RUNS'] ?? 15);

test('any answer with any value in any place of it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom<FunctionName>('plan-sweep', 'query-expired', 'delete-chunk'),
      fc.constantFrom<'window' | 'second'>('window', 'second'),
      fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 4 }),
      fc.oneof(
        fc.jsonValue({ maxDepth: 2 }),
        fc.constantFrom(
          'wait',
          'query',
          'delete',
          'end',
          'done',
          '2099-01-01T00:00:00Z',
          -1,
          1e15,
          undefined,
        ),
      ),
      fc.nat({ max: 3 }),
      async (name, badIndexedBy, path, value, from) => {
        let calls = 0;
        const sabotage: Sabotage = answer => {
          calls += 1;
          return calls > from ? replacedAt(answer, path, value) : answer;
        };
        const simulation = await tickWith(name, sabotage, badIndexedBy);
        expectOthersUnharmed(simulation);
      },
    ),
    { numRuns: RUNS, endOnFailure: true },
  );
});

/** A copy with a value at a path, each step of which counts the fields. */
function replacedAt(whole: unknown, [step, ...rest]: readonly number[], value: unknown): unknown {
  if (step === undefined || typeof whole !== 'object' || whole === null) return value;
  const copy = structuredClone(whole) as Answer;
  const names = Object.keys(copy);
  const name = names[step % Math.max(1, names.length)];
  if (name === undefined) return value;
  copy[name] = replacedAt(copy[name], rest, value);
  return copy;
}

test('the report of an execution is that of each table', async () => {
  const simulation = await tickWith('query-expired', () => null);
  const [tick] = simulation.executionsOf('tick');
  expect(tick && reportOf(tick, BAD)).toMatchObject({ deleted: 0, shardsFailed: 3 });
});
