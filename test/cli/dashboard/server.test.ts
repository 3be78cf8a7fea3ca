import { request } from 'node:http';
import { type PageServer, servePage } from '../../../cli/dashboard/server.ts';

const FILES = new Map([
  ['', { type: 'text/html; charset=utf-8', body: '<p>the page</p>' }],
  ['page.js', { type: 'text/javascript; charset=utf-8', body: 'go()' }],
]);

let server: PageServer;
const queries: string[] = [];
beforeAll(async () => {
  server = await servePage({
    files: FILES,
    view(query) {
      queries.push(String(query));
      return '<p>3 items</p>';
    },
  });
});
afterAll(() => server.stop());

interface Answered {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Sends a path as it is: fetch would take the dots out of it. */
function ask(
  path: string,
  { method = 'GET', host }: { method?: string; host?: string } = {},
): Promise<Answered> {
  const { hostname, port } = new URL(server.address);
  return new Promise((done, fail) => {
    const sent = request(
      { hostname, port, path, method, headers: host === undefined ? {} : { host } },
      answer => {
        let body = '';
        answer.setEncoding('utf8').on('data', (text: string) => {
          body += text;
        });
        answer.on('end', () => done({ status: answer.statusCode, headers: answer.headers, body }));
      },
    );
    sent.on('error', fail).end();
  });
}

const base = () => new URL(server.address).pathname;
const port = () => new URL(server.address).port;

test('serves its files and what changes to whoever has the address', async () => {
  const page = await ask(base());
  expect([page.status, page.body, page.headers['content-type']]).toEqual([
    200,
    '<p>the page</p>',
    'text/html; charset=utf-8',
  ]);
  const host = `localhost:${port()}`;
  expect(await ask(`${base()}page.js`, { host })).toMatchObject({ status: 200, body: 'go()' });
  const view = await ask(`${base()}view.html?table=Sessions`);
  expect([view.status, view.body, queries]).toEqual([200, '<p>3 items</p>', ['table=Sessions']]);
});

test('its page loads nothing from elsewhere, is in no frame of others, and is kept nowhere', async () => {
  const { headers } = await ask(base());
  const policy = String(headers['content-security-policy']).split('; ');
  expect(policy).toEqual(
    expect.arrayContaining([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "frame-ancestors 'none'",
    ]),
  );
  expect(policy.join()).not.toContain('unsafe');
  expect(headers).toMatchObject({
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
  expect(headers).not.toHaveProperty('access-control-allow-origin');
});

test('listens on loopback, with a token that is another one each time', async () => {
  const { hostname, pathname } = new URL(server.address);
  expect([hostname, pathname]).toEqual(['127.0.0.1', expect.stringMatching(/^\/[\w-]{43}\/$/)]);
  const other = await servePage({ files: FILES, view: () => '' });
  expect(new URL(other.address).pathname).not.toBe(pathname);
  await other.stop();
  await other.stop();
});

test.each([
  ['another name, which a page can have resolve to this machine', () => 'sweep.example.com'],
  ['another port', () => '127.0.0.1:1'],
  ['no port', () => '127.0.0.1'],
  ['this machine behind another name', () => `127.0.0.1.example.com:${port()}`],
])('is refused for the host: %s', async (_what, host) => {
  const { status, body } = await ask(base(), { host: host() });
  expect([status, body]).toEqual([403, expect.not.stringContaining('the page')]);
});

test.each([
  ['without a token', () => '/'],
  ['for its parts without one', () => '/view.html'],
  ['with another one', () => `/${'a'.repeat(43)}/`],
  ['with a part of it', () => `${base().slice(0, -2)}/view.html`],
  ['with more than it', () => `${base().slice(0, -1)}a/view.html`],
  ['with the token where it does not belong', () => `/x${base()}view.html`],
  ['with it in the query', () => `/?token=${base().slice(1, -1)}`],
])('is refused %s', async (_what, path) => {
  const { status, body } = await ask(path());
  expect([status, body]).toEqual([
    403,
    expect.stringContaining('expected the address as the command printed it'),
  ]);
});

test('has only its files, and none at the token without a slash, from where they would not be found', async () => {
  for (const name of ['../../package.json', '%2e%2e/package.json', 'constructor', 'page.js/'])
    expect(await ask(`${base()}${name}`)).toMatchObject({ status: 404, body: 'there is no such file\n' });
  expect((await ask(base().slice(0, -1))).status).toBe(404);
});

test('refuses every method but GET', async () => {
  const before = queries.length;
  for (const method of ['POST', 'HEAD']) {
    const { status, headers } = await ask(`${base()}view.html`, { method });
    expect([status, headers['allow'], queries.length]).toEqual([405, 'GET', before]);
  }
});
