import { request } from 'node:http';
import { type PageServer, servePage } from '../../../cli/dashboard/server.ts';

const FILES = new Map([
  ['', { type: 'text/html; charset=utf-8', body: '<p>the page</p>' }],
  ['page.js', { type: 'text/javascript; charset=utf-8', body: 'go()' }],
]);

let server: PageServer;
const queries: string[] = [];
beforeAll(async () => {
  server = await servePage((name, query) => {
    if (name !== 'view.html') return FILES.get(name);
    queries.push(String(query));
    return { type: 'text/html', body: '<p>3 items</p>' };
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
  const other = await servePage(name => FILES.get(name));
  expect(new URL(other.address).pathname).not.toBe(pathname);
  await other.stop();
  await other.stop();
});

const NOT_FOR_YOU = 'expected the address as the command printed it';

test.each<[string, () => string, { method?: string; host?: string }, number, string]>([
  ['a name that a page can have resolve to this machine', base, { host: 'sweep.example.com' }, 403, ''],
  ['another port', base, { host: '127.0.0.1:1' }, 403, ''],
  ['no port', base, { host: '127.0.0.1' }, 403, ''],
  ['no token', () => '/', {}, 403, NOT_FOR_YOU],
  ['parts without a token', () => '/view.html', {}, 403, NOT_FOR_YOU],
  ['another token', () => `/${'a'.repeat(43)}/`, {}, 403, NOT_FOR_YOU],
  ['a part of the token', () => `${base().slice(0, -2)}/view.html`, {}, 403, NOT_FOR_YOU],
  ['more than the token', () => `${base().slice(0, -1)}a/view.html`, {}, 403, NOT_FOR_YOU],
  ['the token where it does not belong', () => `/x${base()}view.html`, {}, 403, NOT_FOR_YOU],
  ['the token in the query', () => `/?token=${base().slice(1, -1)}`, {}, 403, NOT_FOR_YOU],
  ['a file of this machine', () => `${base()}../../package.json`, {}, 404, 'there is no such file'],
  ['the same, encoded', () => `${base()}%2e%2e/package.json`, {}, 404, 'there is no such file'],
  ['what every object has', () => `${base()}constructor`, {}, 404, 'there is no such file'],
  ['the token without a slash, from where no file would be found', () => base().slice(0, -1), {}, 404, ''],
  ['POST', () => `${base()}view.html`, { method: 'POST' }, 405, ''],
  ['HEAD', () => `${base()}view.html`, { method: 'HEAD' }, 405, ''],
])('refuses %s', async (_what, path, request, refused, said) => {
  const before = queries.length;
  const { status, headers, body } = await ask(path(), request);
  expect([status, body, queries.length]).toEqual([refused, expect.stringContaining(said), before]);
  expect([body, headers['allow']]).toEqual([expect.not.stringContaining('<p>'), 'GET']);
});
