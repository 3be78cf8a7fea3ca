import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { MockFunctions, NoFunctions } from '../../src/cli/mocks.ts';
import { VirtualClock } from '../../src/clock.ts';
import type { CallSite } from '../../src/interpreter/index.ts';
import { type Call, fails, type MockFunction, takes } from '../../src/testing/index.ts';

const ARN = 'arn:aws:lambda:us-east-1:123456789012:function:';
const { signal } = new AbortController();

class OutOfStock extends Error {
  override readonly name = 'OutOfStock';
}

const calls: Call[] = [];
const clock = new VirtualClock();
const functions = new MockFunctions(
  new Map<string, MockFunction>([
    ['echo', payload => payload],
    ['later', async payload => ({ payload })],
    ['nothing', () => undefined],
    [
      'counted',
      (_payload, call) => {
        calls.push(call);
        return call.count;
      },
    ],
    [
      'named',
      () => {
        throw new OutOfStock('none left');
      },
    ],
    ['rejected', () => Promise.reject(new TypeError('no'))],
    ['text', () => Promise.reject('just text')],
    ['ofHarness', fails('Named', 'by the harness')],
    ['slow', takes(5_000, 'done')],
  ]),
  clock,
  new NoFunctions('there are no others'),
);
const invoke = (name: string, payload: unknown = {}) =>
  functions.invoke(`${ARN}${name}`, payload, { signal });

test.each([
  ['echo', { ok: true, payload: { a: 1 } }],
  ['echo:live', { ok: true, payload: { a: 1 } }],
  ['later', { ok: true, payload: { payload: { a: 1 } } }],
  ['nothing', { ok: true, payload: undefined }],
])('%s answers %j', async (name, result) => {
  expect(await invoke(name, { a: 1 })).toEqual(result);
});

test.each([
  ['named', 'OutOfStock', 'none left'],
  ['rejected', 'TypeError', 'no'],
  ['text', 'string', 'just text'],
  ['ofHarness', 'Named', 'by the harness'],
])('%s fails with %s, as from the Node runtime of Lambda', async (name, errorType, errorMessage) => {
  expect(await invoke(name)).toEqual({
    ok: false,
    errorType,
    errorMessage,
    cause: { errorType, errorMessage, trace: expect.any(Array) },
  });
});

test('calls are counted for each function and attempts for each visit of a state', async () => {
  const site = (enteredEventId: number): CallSite => ({
    state: 'A',
    executionArn: 'execution',
    enteredEventId,
  });
  for (const [name, event] of [
    ['counted', 2],
    ['counted:live', 2],
    ['counted', 5],
  ] as const) {
    await functions.invoke(`${ARN}${name}`, {}, { signal, site: site(event) });
  }
  const call = { functionName: 'counted', state: 'A', signal };
  expect(calls).toMatchObject([
    { ...call, functionArn: `${ARN}counted`, count: 1, attempt: 1 },
    { ...call, functionArn: `${ARN}counted:live`, count: 2, attempt: 2 },
    { ...call, functionArn: `${ARN}counted`, count: 3, attempt: 1 },
  ]);
});

test('attempts are forgotten after 10,000 further visits, and not before', async () => {
  const at = (enteredEventId: number) =>
    functions.invoke(
      `${ARN}counted`,
      {},
      { signal, site: { state: 'B', executionArn: 'long', enteredEventId } },
    );
  const attempt = () => calls.at(-1)?.attempt;
  await at(0);
  for (let visit = 1; visit < 10_000; visit += 1) await at(visit);
  await at(0);
  const kept = attempt();
  for (let visit = 10_000; visit < 20_001; visit += 1) await at(visit);
  await at(0);
  expect([kept, attempt()]).toEqual([2, 1]);
});

test('a mock takes its time on the clock of the server, and reports what it uses', async () => {
  const before = clock.now();
  expect(await clock.busy(() => invoke('slow'))).toEqual({ ok: true, payload: 'done' });
  expect(clock.now() - before).toBe(5_000);
  const used: unknown[] = [];
  const onUsage = (counter: string, amount: number) => used.push([counter, amount]);
  await functions.invoke(`${ARN}counted`, {}, { signal, onUsage });
  calls.at(-1)?.reportUsage('reads', 2);
  expect(used).toEqual([['reads', 2]]);
});

test('what is not mocked goes to the others', async () => {
  expect(await invoke('other')).toEqual({
    ok: false,
    errorType: 'Lambda.ResourceNotFoundException',
    errorMessage: `Function not found: ${ARN}other (there are no others)`,
  });
});

describe('a module', () => {
  const MODULES: Record<string, [string, string | RegExp]> = {
    'named.mjs': [
      "export const a = () => 1; function b() {} export { b as 'b-c' }; export const LIMIT = 3;",
      'a,b-c',
    ],
    'default.mjs': ["export default { 'my-function': () => 1, other() {} };", 'my-function,other'],
    'both.mjs': ['export const a = () => 1; export default { b: () => 2 };', 'b,a'],
    'common.cjs': ['module.exports = { a: () => 1 };', 'a'],
    'typed.ts': ['export const a = (payload: { b: number }): number => payload.b;', 'a'],
    'empty.mjs': [
      'export const LIMIT = 3;',
      /expected a module that exports functions, got one without any$/,
    ],
    'function.mjs': ['export default () => 1;', /default export of type function; make it an object/],
    'mixed.mjs': ['export default { a: 1 };', /got "a" of type number in its default export$/],
    'broken.mjs': ['export const a = ;', /got one that can't be loaded: Unexpected token/],
    'throws.mjs': ["throw new Error('no database');", /got one that can't be loaded: no database$/],
  };
  let folder: string;
  let loaded: Record<string, string>;

  // Outside jest, which has its own way to load modules; all of them in one process.
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'stepfunctions-emulator-'));
    for (const [name, [text]] of Object.entries(MODULES)) writeFileSync(join(folder, name), text);
    const program = `
      import { loadMocks } from '${pathToFileURL(join(import.meta.dirname, '../../src/cli/mocks.ts'))}';
      const load = async name => {
        try { return [...(await loadMocks(name)).keys()].join(); } catch (error) { return error.name + ': ' + error.message; }
      };
      const entries = ${JSON.stringify([...Object.keys(MODULES), 'missing.mjs'])}.map(async name => [name, await load(name)]);
      console.log(JSON.stringify(Object.fromEntries(await Promise.all(entries))));`;
    const args = ['--input-type=module', '--eval', program];
    loaded = JSON.parse((await promisify(execFile)(process.execPath, args, { cwd: folder })).stdout);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each(Object.entries(MODULES))('%s', (name, [, expected]) => {
    if (typeof expected === 'string') expect(loaded[name]).toBe(expected);
    else expect(loaded[name]).toMatch(expected);
  });

  test('that is not there is refused', () => {
    expect(loaded['missing.mjs']).toBe(
      'StartError: --functions missing.mjs: expected a module that exports functions, got no file',
    );
  });
});
