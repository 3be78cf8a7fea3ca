import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type Mock, type MockCall, MockFunctions, NoFunctions } from '../../src/cli/mocks.ts';

const ARN = 'arn:aws:lambda:us-east-1:123456789012:function:';
const { signal } = new AbortController();

class OutOfStock extends Error {
  override readonly name = 'OutOfStock';
}

const calls: MockCall[] = [];
const functions = new MockFunctions(
  new Map<string, Mock>([
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
  ]),
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
])('%s fails with %s, as from the Node runtime of Lambda', async (name, errorType, errorMessage) => {
  expect(await invoke(name)).toEqual({
    ok: false,
    errorType,
    errorMessage,
    cause: { errorType, errorMessage, trace: expect.any(Array) },
  });
});

test('calls are counted for each function, and know what was called', async () => {
  await invoke('counted');
  await invoke('counted:live');
  expect(calls).toEqual([
    { functionName: 'counted', functionArn: `${ARN}counted`, count: 1, signal },
    { functionName: 'counted', functionArn: `${ARN}counted:live`, count: 2, signal },
  ]);
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
