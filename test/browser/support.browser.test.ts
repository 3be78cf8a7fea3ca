import { chromiumOf, isOfThisMachine, useBrowser } from '../support/browser.ts';

// What the tests in a browser stand on: a page that does what it must not is seen.

const browser = useBrowser();

const BAD = `<link rel="icon" href="data:,"><img src="http://example.com/a.png">
  <script>console.error('badly made')</script><script>nothing.at.all</script>`;

test('what is wrong with a page is told', async () => {
  await browser.open(`data:text/html,${encodeURIComponent(BAD)}`);
  expect(browser.takeComplaints().sort()).toEqual([
    expect.stringMatching(/^error in the console: .*ERR_NAME_NOT_RESOLVED/),
    'error in the console: badly made',
    'error in the page: nothing is not defined',
    'request to another machine: http://example.com/a.png',
  ]);
});

test.each([
  ['http://127.0.0.1:8083/', true],
  ['http://[::1]:8083/', true],
  ['data:,', true],
  ['https://127.0.0.1.example.com/', false],
])('%s is of this machine: %s', (url, expected) => {
  expect(isOfThisMachine(url)).toBe(expected);
});

test('without Chromium the error names the package of Debian', () => {
  expect(() => chromiumOf({ PATH: '/nowhere' })).toThrow(
    /expected the browser on the PATH.*apt-get install chromium/,
  );
});
