import { request } from 'node:http';
import type { ExecutionDescription, ExecutionList, HistoryPage } from '../../src/page/data.ts';
import { inputSummary } from '../../src/page/summary.ts';
import { ORDERS, type PageServer, startPageServer } from './support.ts';

// What the server answers to the page, and to whom it does not answer.

let server: PageServer;
beforeAll(async () => {
  server = await startPageServer();
  server.add('orders', ORDERS);
});
afterAll(() => server.stop());

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** As a browser asks, with headers that fetch would not let us choose. */
function get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request(server.address, { path, headers }, async response => {
      let body = '';
      for await (const chunk of response) body += chunk;
      resolve({ status: response.statusCode, headers: response.headers, body });
    })
      .on('error', reject)
      .end();
  });
}
const dataOf = async <T>(path: string): Promise<T> => JSON.parse((await get(`/page/data/${path}`)).body);
const order = { order: 'o-1', seconds: 0, lines: [{ sku: 'a' }] };

test.each([
  ['/', 'text/html', /<div id="page"><\/div>/],
  ['/?anything', 'text/html', /<script src="\/page\/script\.js"><\/script>/],
  ['/page/script.js', 'text/javascript', /Search events/],
  ['/page/style.css', 'text/css', /light-dark/],
])('%s is a file of the page, under a policy without inline scripts', async (path, type, content) => {
  const { status, headers, body } = await get(path);
  expect([status, headers['content-type']]).toEqual([200, `${type}; charset=utf-8`]);
  expect(body).toMatch(content);
  const policy = String(headers['content-security-policy']);
  expect(policy).toMatch(/^default-src 'none';.* script-src 'self';.* frame-ancestors 'none'$/);
  expect(policy).not.toMatch(/unsafe|\*|https?:/);
  expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
});

test.each(['/', '/page/script.js', '/page/data/machines'])('%s is not for another host name', async path => {
  const { status, body } = await get(path, { host: 'example.com' });
  expect(status).toBe(403);
  expect(JSON.parse(body).message).toBe(
    'Host: expected this machine (127.0.0.1, [::1] or localhost), got "example.com"',
  );
});

test.each([
  ['cross-site', 403],
  ['same-site', 403],
  ['same-origin', 200],
  ['none', 200],
])('data that a page asks for which is %s: %i', async (site, expected) => {
  const { status, headers } = await get('/page/data/machines', { 'sec-fetch-site': site });
  expect(status).toBe(expected);
  expect(headers['access-control-allow-origin']).toBeUndefined();
});

test.each([['/nowhere'], ['//'], ['/page/data/constructor'], ['/page/data/stop'], ['/__proto__']])(
  'GET %s is nothing',
  async path => {
    expect(JSON.parse((await get(path)).body).message).toMatch(
      /: expected \/ for the page, got a path that is not there/,
    );
  },
);

test('the data follow an execution: lists with a version, events without data, and the data of events', async () => {
  const { arn } = await server.start('orders', order, 'followed').done;
  const machine = encodeURIComponent(arn.replace(':execution:', ':stateMachine:').replace(':followed', ''));
  const { version, executions } = await dataOf<ExecutionList>(`executions?machine=${machine}`);
  expect(executions).toEqual([
    expect.objectContaining({ arn, name: 'followed', summary: 'order: o-1, seconds: 0' }),
  ]);
  expect(await dataOf(`executions?machine=${machine}&version=${version}`)).toEqual({ version });
  const of = `arn=${encodeURIComponent(arn)}`;
  expect(await dataOf<ExecutionDescription>(`execution?${of}`)).toMatchObject({
    ...{ machine: 'orders', type: 'STANDARD', input: JSON.stringify(order), forgotten: false },
    ...{ definition: JSON.stringify(ORDERS), output: '{"parcel":"p-o-1"}' },
  });
  const history = await dataOf<HistoryPage>(`history?${of}&after=1`);
  expect(history.more).toBe(false);
  expect(history.events[0]).toEqual({
    ...{ id: 2, previousEventId: 0, name: 'Validate', type: 'TaskStateEntered' },
    timestamp: expect.any(Number),
  });
  expect(JSON.stringify(history.events)).not.toContain('o-1');
  expect(await dataOf(`data?${of}&ids=2,x,999`)).toEqual([{ id: 2, input: JSON.stringify(order) }]);
});

test('of an Express state machine the executions are shown', async () => {
  server.add('express', ORDERS, 'EXPRESS');
  for (const name of ['e-0', 'e-1']) await server.start('express', order, name).done;
  const machine = 'arn:aws:states:us-east-1:123456789012:stateMachine:express';
  const { executions = [] } = await dataOf<ExecutionList>(`executions?machine=${machine}`);
  expect(executions.map(({ name }) => name)).toEqual(['e-1', 'e-0']);
  const of = `arn=${encodeURIComponent(executions[0]?.arn ?? '')}`;
  expect((await dataOf<HistoryPage>(`history?${of}&after=0`)).events.at(-1)?.type).toBe('ExecutionSucceeded');
});

test.each([
  [{ scheduledTime: '2026-11-28T12:00:00Z', tables: ['a'] }, '2026-11-28 12:00'],
  [
    { from: '2026-11-28T12:00:30.500Z', table: 'Sessions', more: 1 },
    '2026-11-28 12:00:30.500, table: Sessions',
  ],
  [{ nothing: null, list: [], n: 3 }, 'n: 3'],
  [{ text: 'x'.repeat(50) }, `text: ${'x'.repeat(39)}…`],
  [{ text: 'x'.repeat(10_000) }, ''],
  [[1, 2], ''],
  [500, '500'],
  [null, ''],
])('of the input %j the summary is %j', (input, expected) => {
  expect(inputSummary(JSON.stringify(input))).toBe(expected);
});

test('an execution that is not there is told in words', async () => {
  const { status, body } = await get('/page/data/execution?arn=nothing');
  expect(status).toBe(400);
  expect(JSON.parse(body).message).toMatch(/Execution Does Not Exist: 'nothing'/);
});
