import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromiumOf, isOfThisMachine, useBrowser } from '../support/browser.ts';

// What the tests in a browser stand on: a page that does what it must not is seen.

const browser = useBrowser();
let server: Server;
let address: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(PAGES[request.url ?? ''] ?? '');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const ICON = '<link rel="icon" href="data:,">';
const PAGES: Readonly<Record<string, string>> = {
  '/quiet': `${ICON}<h1>Hello</h1><script>document.body.append(innerWidth)</script>`,
  '/console': `${ICON}<script>console.error('badly made')</script>`,
  '/thrown': `${ICON}<script>nothing.at.all</script>`,
  '/foreign': `${ICON}<img src="http://example.com/a.png">`,
};

test('a page that is quiet is shown in the size that was asked for', async () => {
  const page = await browser.open(`${address}/quiet`, { width: 360, height: 700 });
  expect(await page.textContent('h1')).toBe('Hello');
  expect(await page.textContent('body')).toContain('360');
  expect(browser.takeComplaints()).toEqual([]);
});

test.each([
  ['/console', [/^error in the console: badly made$/]],
  ['/thrown', [/^error in the page: nothing is not defined$/]],
  ['/foreign', [/^request to another machine: http:\/\/example\.com\/a\.png$/, /ERR_NAME_NOT_RESOLVED/]],
])('what is wrong with %s is told', async (path, expected) => {
  await browser.open(`${address}${path}`);
  expect(browser.takeComplaints()).toEqual(expected.map(each => expect.stringMatching(each)));
});

test.each([
  ['http://127.0.0.1:8083/', true],
  ['http://localhost:8083/', true],
  ['http://[::1]:8083/', true],
  ['file:///tmp/report.html', true],
  ['data:,', true],
  ['https://127.0.0.1.example.com/', false],
  ['http://10.0.0.1/', false],
])('%s is of this machine: %s', (url, expected) => {
  expect(isOfThisMachine(url)).toBe(expected);
});

test('without Chromium the error names the package of Debian', () => {
  expect(() => chromiumOf({ PATH: '/nowhere' })).toThrow(
    /expected the browser on the PATH.*apt-get install chromium/,
  );
});
