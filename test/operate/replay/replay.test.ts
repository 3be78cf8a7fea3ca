import type { Executions } from '../../../operate/aws/executions.ts';
import type { ExecutionState } from '../../../operate/aws/executions-of-table.ts';
import { executionName } from '../../../operate/replay/pieces.ts';
import { runPiece } from '../../../operate/replay/replay.ts';
import { NO_TOTALS } from '../../../operate/replay/totals.ts';

const PIECE = {
  tableName: 'T',
  piece: { from: 1_700_000_000, to: 1_700_003_600 },
  dryRun: false,
  label: 'l',
};
const nameOf = (attempt: number): string => executionName({ ...PIECE, attempt });
const NEVER = new AbortController().signal;

const told = (report: object) => JSON.stringify({ tables: { T: report } });
const counts = (over: Record<string, number>) => told({ ...NO_TOTALS, ...over });
const succeeded = (over: Record<string, number>): ExecutionState => ({
  status: 'SUCCEEDED',
  output: counts(over),
});
const incomplete = (over: Record<string, number>): ExecutionState => ({
  status: 'FAILED',
  error: 'SweepIncompleteError',
  cause: counts(over),
});

/** Executions by attempt: those that were started before, and the result of one that is started now. */
function fake(before: readonly (ExecutionState | 'forgotten' | 'running')[], ends: ExecutionState) {
  const started: { name: string; input: unknown }[] = [];
  const known = new Map(before.map((state, index) => [nameOf(index + 1), state]));
  const executions: Executions = {
    async start(name, input) {
      if (known.has(name)) return false;
      started.push({ name, input });
      known.set(name, 'running');
      return true;
    },
    async describe(name) {
      const state = known.get(name);
      if (state === 'forgotten') return undefined;
      if (state !== 'running') return state;
      known.set(name, ends);
      return { status: 'RUNNING' };
    },
  };
  return { executions, started };
}

test('starts a piece that was never started, with its times', async () => {
  const { executions, started } = fake([], succeeded({ found: 3, deleted: 3 }));
  const result = await runPiece(PIECE, executions, NEVER);
  expect(result).toMatchObject({ status: 'SUCCEEDED', doneBefore: false, totals: { found: 3, deleted: 3 } });
  const input = { table: PIECE.tableName, from: '2023-11-14T22:13:20.000Z', to: '2023-11-14T23:13:20.000Z' };
  expect(started).toEqual([{ name: nameOf(1), input }]);
});

test('a dry run says so to the state machine', async () => {
  const { executions, started } = fake([], succeeded({ found: 3 }));
  await runPiece({ ...PIECE, dryRun: true }, executions, NEVER);
  expect(started[0]?.input).toMatchObject({ dryRun: true });
});

test('a limit is that of the execution', async () => {
  const { executions, started } = fake([], succeeded({ found: 3 }));
  await runPiece({ ...PIECE, maxDeletesPerSecond: 12 }, executions, NEVER);
  expect(started).toMatchObject([{ name: nameOf(1), input: { maxDeletesPerSecond: 12 } }]);
});

test('starts nothing when it is done, and takes its counts', async () => {
  const { executions, started } = fake([succeeded({ found: 3, deleted: 3 })], succeeded({}));
  const result = await runPiece(PIECE, executions, NEVER);
  expect(result).toMatchObject({ doneBefore: true, execution: nameOf(1), totals: { found: 3, deleted: 3 } });
  expect(started).toEqual([]);
});

test.each(['FAILED', 'TIMED_OUT', 'ABORTED'])(
  'starts one that %s again under the next name',
  async status => {
    const { executions, started } = fake([{ status }, { status }], succeeded({ found: 1, deleted: 1 }));
    const result = await runPiece(PIECE, executions, NEVER);
    expect(started.map(({ name }) => name)).toEqual([nameOf(3)]);
    expect(result).toMatchObject({ execution: nameOf(3), status: 'SUCCEEDED' });
  },
);

test('starts one again that left items, because the table was paused, and does not do so twice', async () => {
  const paused = succeeded({ found: 2, deleted: 2, leftForLater: 1 });
  const { executions, started } = fake([paused], paused);
  const result = await runPiece(PIECE, executions, NEVER);
  expect(started.map(({ name }) => name)).toEqual([nameOf(2)]);
  expect(result.totals).toEqual({ ...NO_TOTALS, found: 4, deleted: 4, leftForLater: 1 });
});

test('starts one that Step Functions has forgotten again', async () => {
  const { executions, started } = fake(['forgotten'], succeeded({}));
  await runPiece(PIECE, executions, NEVER);
  expect(started.map(({ name }) => name)).toEqual([nameOf(2)]);
});

test('fails, and does not start again by itself, when it fails now', async () => {
  const { executions, started } = fake([], incomplete({ found: 3, deleted: 2, failed: 1 }));
  const result = await runPiece(PIECE, executions, NEVER);
  expect(result).toMatchObject({ status: 'FAILED', error: 'SweepIncompleteError', totals: { failed: 1 } });
  expect(started).toHaveLength(1);
});

test('counts every item once, however many attempts it took', async () => {
  const { executions } = fake(
    [incomplete({ found: 10, deleted: 4, renewed: 1, failed: 5, shardsFailed: 1 })],
    succeeded({ found: 5, deleted: 3, notFound: 2 }),
  );
  const { totals } = await runPiece(PIECE, executions, NEVER);
  expect(totals).toEqual({ ...NO_TOTALS, found: 10, deleted: 7, renewed: 1, notFound: 2 });
});

test('an execution that fails without a report counts nothing', async () => {
  const { executions } = fake([], { status: 'FAILED', error: 'Boom', cause: 'in prose' });
  expect(await runPiece(PIECE, executions, NEVER)).toMatchObject({ cause: 'in prose', totals: { found: 0 } });
});

test.each([
  ['before a count existed: it is 0', { found: 3, deleted: 3 }, 3],
  ['with a count that is no number, which is no report', { found: 3, deleted: '3' }, 0],
  ['without what was found, which is no report', { deleted: 3 }, 0],
])('an execution that reported %s', async (_name, report, deleted) => {
  const { executions } = fake([], { status: 'SUCCEEDED', output: told(report) });
  expect((await runPiece(PIECE, executions, NEVER)).totals).toMatchObject({ deleted, renewed: 0 });
});
