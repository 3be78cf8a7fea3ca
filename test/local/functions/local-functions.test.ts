import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import {
  type InvocationRecord,
  LocalFunctions,
  type LocalFunctionsOptions,
} from '../../../local/functions/local-functions.ts';
import type { FunctionResource } from '../../../local/stack/synthesized.ts';
import { folderWith } from '../../support/folder.ts';

const folder = folderWith();
const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** Functions made of their code, by name; `over` adds to the resource of each. */
function functions(
  code: Record<string, string>,
  over: Partial<FunctionResource> = {},
  options: Partial<LocalFunctionsOptions> = {},
): LocalFunctions {
  const resources = Object.entries(code).map(([name, text]): FunctionResource => {
    const archive = join(folder, `${randomUUID()}.zip`);
    writeFileSync(archive, zipSync({ 'index.mjs': strToU8(text) }));
    return {
      ...{ address: `aws_lambda_function.${name}`, name, arn: arn(name), region: 'us-east-1', archive },
      ...{ handler: 'index.handler', memoryMb: 128, timeoutSeconds: 3, environment: {}, ...over },
    };
  });
  const local = new LocalFunctions(resources, { dynamoDbEndpoint: 'http://127.0.0.1:8000', ...options });
  cleanUps.push(() => local.stop());
  return local;
}

const arn = (name: string) => `arn:aws:lambda:us-east-1:123456789012:function:${name}`;
const ECHO = 'export const handler = async event => event';

test('answers with what the handler returns, through JSON', async () => {
  const local = functions({
    echo: ECHO,
    nothing: 'export const handler = () => {}',
    date: 'export const handler = async () => ({ at: new Date(0), gone: undefined, nan: NaN })',
  });
  expect(await local.invoke(arn('echo'), { a: [1, 'ü'] })).toMatchObject({
    ok: true,
    payload: { a: [1, 'ü'] },
  });
  expect(await local.invoke(`${arn('echo')}:$LATEST`, 1)).toMatchObject({ ok: true, payload: 1 });
  expect(await local.invoke('echo', null)).toMatchObject({ ok: true, payload: null });
  expect(await local.invoke('nothing', {})).toMatchObject({ ok: true, payload: null });
  expect(await local.invoke('date', {})).toMatchObject({
    ok: true,
    payload: { at: '1970-01-01T00:00:00.000Z', nan: null },
  });
  expect(await local.invoke(arn('other'), {})).toMatchObject({
    ok: false,
    errorType: 'Lambda.ResourceNotFoundException',
    errorMessage: expect.stringMatching(/function:other.*the synthesized functions are: echo, nothing, date/),
  });
});

test('gives the function its own environment and context, and nothing of ours', async () => {
  process.env['AWS_PROFILE'] = 'production';
  process.env['SECRET_OF_THE_USER'] = 'x';
  cleanUps.push(() => {
    delete process.env['AWS_PROFILE'];
    delete process.env['SECRET_OF_THE_USER'];
  });
  const local = functions(
    {
      look: `import { resourceLimits } from 'node:worker_threads';
        export const handler = async (event, context) => ({
        env: process.env,
        resourceLimits,
        context: { ...context, remaining: context.getRemainingTimeInMillis() },
      })`,
    },
    {
      memoryMb: 256,
      timeoutSeconds: 30,
      environment: { TABLE: 'T', AWS_ENDPOINT_URL_DYNAMODB: 'https://dynamodb.us-east-1.amazonaws.com' },
    },
  );
  const result = await local.invoke(arn('look'), {});
  if (!result.ok) throw new Error(result.errorMessage);
  const { env, context, resourceLimits } = result.payload as Record<string, Record<string, unknown>>;
  expect(resourceLimits).toMatchObject({ maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 12 });
  expect(env).toMatchObject({
    TABLE: 'T',
    AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8000',
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_LAMBDA_FUNCTION_NAME: 'look',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '256',
  });
  for (const name of ['AWS_PROFILE', 'SECRET_OF_THE_USER', 'HOME', 'PATH'])
    expect(env).not.toHaveProperty(name);
  expect(context).toMatchObject({
    functionName: 'look',
    memoryLimitInMB: '256',
    invokedFunctionArn: arn('look'),
    awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  expect(context?.['remaining']).toBeGreaterThan(29_000);
  expect(context?.['remaining']).toBeLessThanOrEqual(30_000);
});

const cases: [string, string, string | RegExp, RegExp][] = [
  ['throws', 'throw new TypeError("no good")', 'TypeError', /^no good$/],
  ['exits', 'process.exit(3)', 'Runtime.ExitError', /Runtime exited with error: exit status 3$/],
  [
    'crashes outside its promise',
    'setImmediate(() => { throw new RangeError("later") }); await new Promise(() => {})',
    'RangeError',
    /^later$/,
  ],
  [
    'leaves a rejection alone',
    'Promise.reject(new Error("alone")); await new Promise(() => {})',
    'Error',
    /^alone$/,
  ],
  ['hangs in a loop', 'for (;;);', 'Sandbox.Timedout', /Task timed out after 0\.50 seconds$/],
  [
    'takes more memory than it has',
    'const a = []; for (;;) a.push(new Array(4e6).fill(0.5))',
    'Runtime.OutOfMemory',
    /signal: killed$/,
  ],
  ['returns a BigInt', 'return 1n', 'TypeError', /BigInt/],
];
test.concurrent.each(cases)(
  'fails that invocation only, when the function %s',
  async (_, body, errorType, errorMessage) => {
    const local = functions(
      { f: `export const handler = async event => { if (event === "ok") return "fine"; ${body} }` },
      { timeoutSeconds: errorType === 'Sandbox.Timedout' ? 0.5 : 20 },
    );
    const result = await local.invoke('f', {});
    expect(result).toEqual({
      ok: false,
      errorType,
      errorMessage: expect.stringMatching(errorMessage),
      cause: expect.objectContaining({ errorType }),
      durationMs: expect.any(Number),
      memoryMb: 128,
    });
    expect(await local.invoke('f', 'ok')).toMatchObject({ ok: true, payload: 'fine' });
  },
);

test.each([
  ['exports no handler', 'export const other = 1', 'Error', /^handler is not exported$/],
  ['throws while it loads', 'throw new RangeError("early")', 'RangeError', /^early$/],
  ['exits while it loads', 'process.exit(1)', 'Runtime.ExitError', /exit status 1$/],
])('fails every invocation when the module %s', async (_, code, errorType, message) => {
  const local = functions({ f: code });
  const failure = { ok: false, errorType, errorMessage: expect.stringMatching(message) };
  expect(await local.invoke('f', {})).toMatchObject(failure);
  expect(await local.invoke('f', {})).toMatchObject(failure);
});

test('an environment is used again, one invocation at a time, and grows to the bound', async () => {
  const local = functions(
    {
      count: `let calls = 0, running = 0;
        const id = Math.random();
        export const handler = async () => {
          calls++; running++;
          await new Promise(r => setTimeout(r, 100));
          return { id, calls, together: running-- };
        }`,
    },
    {},
    { maxConcurrency: 3 },
  );
  const results = await Promise.all(Array.from({ length: 12 }, () => local.invoke('count', {})));
  const answers = results.map(
    result => (result.ok ? result.payload : {}) as { id: number; calls: number; together: number },
  );
  expect(new Set(answers.map(({ together }) => together))).toEqual(new Set([1]));
  // Two or three: a call that is answered while another thread still loads leaves its thread to the next.
  expect([2, 3]).toContain(new Set(answers.map(({ id }) => id)).size);
  expect(Math.max(...answers.map(({ calls }) => calls))).toBeGreaterThan(1);
});

test('a caller that goes away takes a waiting invocation out of the line', async () => {
  const local = functions(
    {
      slow: 'let n = 0; export const handler = async () => { n++; await new Promise(r => setTimeout(r, 100)); return n }',
    },
    {},
    { maxConcurrency: 1 },
  );
  const caller = new AbortController();
  const first = local.invoke('slow', {});
  const second = local.invoke('slow', {}, { signal: caller.signal });
  caller.abort();
  expect(await second).toMatchObject({ ok: false, errorType: 'Local.Aborted' });
  expect(await first).toMatchObject({ ok: true, payload: 1 });
  expect(await local.invoke('slow', {})).toMatchObject({ ok: true, payload: 2 });
});

test('hands over every line that is printed, and says of each invocation the last ones and its execution', async () => {
  const records: InvocationRecord[] = [];
  const lines: string[] = [];
  const local = functions(
    {
      talks: `console.log('loaded'); export const handler = async n => {
        for (let i = 0; i < n; i++) console.log(i === 0 ? 'x'.repeat(3000) : 'line ' + i);
        if (n === 0) throw new Error('none');
        if (n === 2) process.stderr.write('no newline');
      }`,
      broken: `console.log('soon'); throw new Error('early')`,
    },
    {},
    {
      onInvocation: record => records.push(record),
      onLog: (name, line) => lines.push(`${name}: ${line}`),
      maxConcurrency: 1,
    },
  );
  for (const n of [2, 25, 0])
    await local.invoke('talks', n, {
      site: { executionArn: `arn:${n}`, state: 'Talks', enteredEventId: 1 },
    });
  await local.invoke('broken', {});
  expect(records.map(({ lines }) => lines)).toEqual([
    ['x'.repeat(2000), 'line 1', 'no newline'],
    Array.from({ length: 20 }, (_, index) => `line ${index + 5}`),
    [],
    ['soon'],
  ]);
  expect(records.map(({ executionArn, ok }) => [executionArn, ok])).toEqual([
    ['arn:2', true],
    ['arn:25', true],
    ['arn:0', false],
    [undefined, false],
  ]);
  expect(lines.slice(0, 4)).toEqual([
    'talks: loaded',
    `talks: ${'x'.repeat(3000)}`,
    'talks: line 1',
    'talks: no newline',
  ]);
});

test('stopping ends running invocations, forgets the files, and can be done twice', async () => {
  const local = functions({
    f: 'export const handler = async () => { for (;;); }',
    g: 'export const handler = async () => import.meta.dirname',
  });
  const directory = await local.invoke('g', {});
  const running = local.invoke('f', {});
  await local.invoke('g', {});
  await Promise.all([local.stop(), local.stop()]);
  expect(await running).toMatchObject({ ok: false, errorType: 'Local.Stopped' });
  expect(await local.invoke('g', {})).toMatchObject({ ok: false, errorType: 'Local.Stopped' });
  expect(existsSync(String(directory.ok && directory.payload))).toBe(false);
});

test('one caller with many calls does not keep another one waiting', async () => {
  const local = functions(
    { f: `export const handler = async () => { await new Promise(done => setTimeout(done, 50)); }` },
    {},
    { maxConcurrency: 2 },
  );
  const ended: string[] = [];
  const call = async (executionArn: string) => {
    await local.invoke('f', {}, { site: { executionArn, state: 'S', enteredEventId: 1 } });
    ended.push(executionArn);
  };
  const calls = ['child 1', 'child 2'].flatMap(child => Array.from({ length: 6 }, () => call(child)));
  await Promise.all([...calls, call('tick')]);
  expect(ended).toHaveLength(13);
  expect(ended.indexOf('tick')).toBeLessThan(6);
});
