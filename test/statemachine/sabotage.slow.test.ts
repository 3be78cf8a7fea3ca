import fc from 'fast-check';
import { expiryModel } from '../../expiry/model.ts';
import { SWEEP_INCOMPLETE } from '../../statemachine/contract/machines.ts';
import { type SimulatedCall, Simulation } from '../support/simulation/simulation.ts';

/*
 * Tables of a tick whose functions answer anything but what they should. The others are swept as if nothing was: in the same execution,
 * and to the second. What States.Runtime is for on AWS, and what no Catch takes, is a Choice, a Wait, a Pass or a Succeed that cannot do
 * what it says; the emulator fails an iteration for each as AWS does, and with it all others.
 */

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;
const GOOD = ['good-1', 'good-2'];

type FunctionName = SimulatedCall['name'];
type Answer = Record<string, unknown>;
type Sabotage = (answer: Answer) => unknown;

/** Seconds from the tick at which an item of each table expires: some before it, some in its minute. */
const EXPIRIES = [-30, -27, -24, -21, 60, 65, 90, 110];

const KIB_256 = 262_144;
const text = (bytes: number, character = 'x') =>
  character.repeat(Math.floor(bytes / Buffer.byteLength(character)));

/** A tick of two tables, and of one for each of these sabotages of a function. */
async function tickWith(name: FunctionName, sabotages: readonly Sabotage[]): Promise<Simulation> {
  const bad = sabotages.map((_sabotage, index) => `bad-${index}`);
  const sabotageOf = (table: unknown): Sabotage =>
    sabotages[bad.indexOf(String(table))] ?? (answer => answer);
  const tableOf = (input: unknown) =>
    (input as { readonly settings?: { readonly tableName: string } }).settings?.tableName;
  const simulation = new Simulation({
    start: START,
    callMs: 20,
    tables: ['good-1', ...bad, 'good-2'].map((table, index) => ({
      name: table,
      model: expiryModel({
        partitionKey: 'id',
        ...(index % 3 === 1 ? { indexedBy: 'second' } : { granularityMinutes: 1440, shards: 2 }),
      }),
    })),
    // What goes on for ever does not take for ever to test.
    failingCall: (called, { input }) =>
      called === name && bad.includes(String(tableOf(input)))
        ? { hangsMs: name === 'query-expired' ? 2_900 : 1_500 }
        : undefined,
    answering: (answer, { name: called, input }) => {
      if (called !== name) return answer;
      if (name !== 'plan-sweep') return sabotageOf(tableOf(input))(answer as Answer);
      const plan = answer as { readonly groups: readonly { readonly due: readonly Answer[] }[] };
      const groups = plan.groups.map(({ due }) => ({
        due: due.map(child => sabotageOf(child['table'])(child)),
      }));
      return { ...plan, groups };
    },
  });
  for (const { items } of simulation.tables) {
    for (const [index, second] of EXPIRIES.entries()) items.write(`${second}`, START + second, index % 2);
  }
  simulation.tick(START);
  await simulation.finish();
  return simulation;
}

/** What is left of a table has to be told, if any state can know of it, and nothing of it may be deleted early. */
function expectOthersUnharmed(simulation: Simulation, isKnown = true) {
  const [{ error } = {}, ...others] = simulation.executions;
  expect([error, others]).toEqual([SWEEP_INCOMPLETE, []]);
  for (const { name, items, deleted } of simulation.tables) {
    const rows = simulation.journal.rows.filter(({ table }) => table === name);
    for (const { ttl, deletedAt } of deleted) expect(deletedAt).toBeGreaterThanOrEqual(ttl * 1000);
    const sum = (count: 'deleted' | 'failed' | 'shardsFailed' | 'tablesFailed' | 'leftForLater') =>
      rows.reduce((all, { report }) => all + report[count], 0);
    const troubles = sum('failed') + sum('shardsFailed') + sum('tablesFailed') + sum('leftForLater');
    if (items.size > 0 && isKnown) expect([name, troubles]).not.toEqual([name, 0]);
    if (!GOOD.includes(name)) continue;
    expect([name, items.ids(), sum('deleted'), troubles]).toEqual([name, [], EXPIRIES.length, 0]);
    const late = deleted.filter(({ ttl, deletedAt }) => ttl >= START && deletedAt - ttl * 1000 > 500);
    expect(late).toEqual([]);
  }
}

/** What no state can go on with, whichever function says it. */
const NONSENSE: readonly Sabotage[] = [
  () => null,
  () => 'nonsense',
  () => [[[]], [null]],
  () => ({}),
  answer => ({ ...answer, next: 'nonsense' }),
  ({ progress: _progress, sweep: _sweep, ...answer }) => answer,
  answer => ({ ...answer, progress: null, sweep: null }),
  answer => ({ ...answer, timeoutSeconds: 0 }),
  answer => ({ ...answer, timeoutSeconds: 0.5 }),
  ...[null, 'nonsense', '2026-02-30T00:00:00Z', '2099-01-01T00:00:00Z', '2001-01-01T00:00:00Z'].map(
    (until): Sabotage =>
      answer => ({ ...answer, next: 'wait', until }),
  ),
  answer => ({ ...answer, next: 'end', result: 'nonsense' }),
];

/** More than a payload may have, by characters or by bytes, or hardly less. */
const TOO_MUCH: readonly Sabotage[] = [
  answer => ({ ...answer, more: text(KIB_256) }),
  answer => ({ ...answer, more: text(KIB_256, '€') }),
  ...[250, 150, 50].map(
    (room): Sabotage =>
      ({ next, timeoutSeconds }) => ({
        ...{ next, timeoutSeconds, until: null, progress: { more: text(KIB_256 - room) } },
      }),
  ),
  ...[text(200_000, '€'), '', 'States.DataLimitExceeded'].map(
    (name): Sabotage =>
      () => {
        throw Object.assign(new Error(text(1000)), { name });
      },
  ),
];

const endsWith =
  (more: Answer): Sabotage =>
  answer => {
    const { counts } = answer['progress'] as { readonly counts: Answer };
    return { ...answer, next: 'end', result: { found: 1, ...counts, ...more } };
  };

const withChunks =
  (more: Answer): Sabotage =>
  answer => ({ ...answer, chunks: (answer['chunks'] as Answer[]).map(chunk => ({ ...chunk, ...more })) });

const QUERIED: readonly Sabotage[] = [
  answer => ({ ...answer, next: 'query' }),
  answer => ({ ...answer, next: 'delete', chunks: [] }),
  answer => ({ ...answer, next: 'delete', chunks: [null, 5, 'x', {}, []] }),
  withChunks({ deadline: 5 }),
  withChunks({ next: 'wait', until: 'x' }),
  endsWith({ deleted: 'all' }),
  endsWith({ failedKeys: [null], sampleKeys: 5 }),
  endsWith({ lagCounts: { x: 'y' }, lagMaxMs: 'z' }),
  endsWith({ resume: { windows: 5 } }),
  endsWith({ more: text(100_000) }),
  endsWith({ more: text(45_000, '€') }),
];

const failed = Array.from({ length: 25 }, () => ({ key: { id: { S: text(10_000) } }, reason: text(500) }));

const DELETED: readonly Sabotage[] = [
  answer => ({ ...answer, next: 'delete' }),
  answer => ({ ...answer, next: 'delete', deadline: '2099-01-01T00:00:00.000Z' }),
  answer => ({ ...answer, keys: [{ key: { other: { S: text(1000) } }, ttl: -1 }] }),
  answer => ({ ...answer, progress: { attempts: 'x', failed: 'y' } }),
  answer => ({ ...answer, progress: { ...(answer['progress'] as Answer), failed } }),
];

test.each<[FunctionName, readonly Sabotage[]]>([
  ['plan-sweep', NONSENSE],
  ['query-expired', [...NONSENSE, ...TOO_MUCH, ...QUERIED]],
  ['delete-chunk', [...NONSENSE, ...TOO_MUCH, ...DELETED]],
])('no answer of %s for one table harms the others, and what is left is told', async (name, sabotages) => {
  expectOthersUnharmed(await tickWith(name, sabotages));
});

const value = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom('wait', 'query', 'delete', 'end', 'done', '2099-01-01T00:00:00Z', -1, 1e15, undefined),
);
const path = fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 4 });

/** SABOTAGE_RUNS=30 looks longer. */
const RUNS = Number(process.env['SABOTAGE_RUNS'] ?? 1);

test.each<FunctionName>(['plan-sweep', 'query-expired', 'delete-chunk'])(
  'nor does any answer of %s with any value in any place of it',
  async name => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(path, value, fc.nat({ max: 3 })), { minLength: 15, maxLength: 15 }),
        async places => {
          const sabotages = places.map(([steps, put, from]): Sabotage => {
            let calls = 0;
            return answer => {
              calls += 1;
              return calls > from ? replacedAt(answer, steps, put) : answer;
            };
          });
          // A plan may leave out a part of a table, which no state can see: the next tick looks again from the watermark.
          expectOthersUnharmed(await tickWith(name, [() => null, ...sabotages]), name !== 'plan-sweep');
        },
      ),
      { numRuns: RUNS },
    );
  },
);

/** A copy with a value at a path, each step of which counts the fields. */
function replacedAt(whole: unknown, [step, ...rest]: readonly number[], put: unknown): unknown {
  if (step === undefined || typeof whole !== 'object' || whole === null) return put;
  const copy = structuredClone(whole) as Answer;
  const names = Object.keys(copy);
  const name = names[step % Math.max(1, names.length)];
  if (name === undefined) return put;
  copy[name] = replacedAt(copy[name], rest, put);
  return copy;
}

test('a plan that is too large fails before anything is swept', async () => {
  const { executions, deleted } = await tickWith('plan-sweep', [TOO_MUCH[0] as Sabotage]);
  expect([executions[0]?.error, deleted]).toEqual(['States.DataLimitExceeded', []]);
});

test.each<[string, (answer: Answer) => unknown]>([
  ['null', () => null],
  ['a text', () => 'nonsense'],
  ['no tables', () => ({})],
  ['another report', answer => ({ ...answer, tables: text(1000) })],
  ['complete that is a text', answer => ({ ...answer, complete: 'yes' })],
])('record-metrics answers %s: the execution says that it is incomplete', async (_name, answering) => {
  const simulation = new Simulation({
    start: START,
    answering: (answer, { name }) => (name === 'record-metrics' ? answering(answer as Answer) : answer),
  });
  simulation.table.write('due', START - 10);
  simulation.tick(START);
  await simulation.finish();
  expect([simulation.table.size, simulation.executions[0]?.error]).toEqual([0, SWEEP_INCOMPLETE]);
});
