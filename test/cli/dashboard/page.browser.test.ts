/** @jest-environment ./test/support/dynamodb-environment.ts */
import type { Page } from 'playwright-core';
import type { Facts, LooksOptions, Remark, Sweep } from '../../../cli/dashboard/looks.ts';
import { type PageServer, startDashboard } from '../../../cli/dashboard/server.ts';
import { chromiumOf, isOfThisMachine, useBrowser, type View } from '../../support/browser.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';
import { factsOf, lookedAt, lookOf, sweepEnded } from '../../support/looks.ts';
import { shellCommand } from '../../support/shell.ts';

const browser = useBrowser();
const dynamo = useLocalDynamoDb();
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** A page asks on when its server has ended, and each question is a complaint. */
const SERVER_IS_GONE = /ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/;

const MINUTE = 60_000;
const iso = (ms: number) => new Date(ms).toISOString();

/** The last hours of a busy table: some minutes were late, and left something. */
function busyHours(): Sweep[] {
  const now = Date.now();
  return Array.from({ length: 170 }, (_unused, index) => {
    const isLate = index > 60 && index < 64;
    const failed = isLate ? 20 : 0;
    const found = Math.round(300 + 200 * Math.sin(index / 25));
    return sweepEnded(iso(now - index * MINUTE), {
      ...(isLate && { failure: '20 items could not be deleted: <b>AccessDenied</b>' }),
      counts: { found, failed, deleted: found - failed },
      lagMs: { p50: 200, p99: isLate ? 25_000 : 800, max: isLate ? 30_000 : 1_900 },
    });
  });
}

const busy = (name = 'Sessions', differing: Partial<Facts> = {}): Facts => {
  const now = Math.floor(Date.now() / 1_000);
  return factsOf(name, {
    ...{ watermark: { since: now - 86_400, gone: now - 2 }, sweeps: busyHours() },
    ...differing,
  });
};

/** Serves the page with looks that a test has made. */
async function serve(look?: LooksOptions['look']): Promise<PageServer> {
  const links = [{ text: 'State machines', href: 'http://127.0.0.1:8083/' }];
  const fine = async () => lookOf(iso(Date.now()), lookedAt(busy()));
  const server = await startDashboard({ region: 'eu-central-1', links, look: look ?? fine });
  stops.push(() => server.stop());
  return server;
}

async function open({ address }: { address: string }, view: View = {}): Promise<Page> {
  const page = await browser.open(address, view);
  await page.waitForSelector('.lead .badge');
  return page;
}

/** Waits for the plot of the lags: one of a constant lag has no height. */
const drawn = (page: Page) => page.waitForSelector('#lag polyline.p99', { state: 'attached' });

const text = (page: Page, selector: string) => page.locator(selector).innerText();

test.each([
  { width: 360, height: 740, colorScheme: 'light' },
  { width: 1600, height: 1000, colorScheme: 'dark' },
] as const)('shows a table at $width pixels, $colorScheme: nothing is wider than the page', async view => {
  const page = await open(await serve(), view);
  await drawn(page);
  expect(await text(page, '.lead')).toMatch(/^✓ Fine\s+Everything that was due by .* is gone\.$/);
  expect(await page.title()).toBe('✓ Fine: precise-ttl');
  expect(await page.locator('.tile').allInnerTexts()).toEqual([
    expect.stringMatching(/^Watermark\s+\d\d:\d\d:\d\dZ/),
    expect.stringMatching(/^Overdue\s+0\s+nothing is overdue/),
    expect.stringMatching(/^Last minute\s+300 of 300/),
    expect.stringMatching(/^Lag, 99%\s+0\.80 s\s+promised 11 s; the latest item 1\.90 s/),
  ]);
  expect(await page.locator('#minutes rect.left').count()).toBe(3);
  const width = await page.evaluate('document.documentElement.scrollWidth');
  expect(width).toBe(view.width);
  // Nothing is cut off, and nothing lies beside its box; a table is scrolled within its own.
  const cut = await page.evaluate(`[...document.querySelectorAll('.panel *:not(.scroll)')]
    .filter(each => !(each instanceof SVGElement) && each.clientWidth > 0 && each.scrollWidth > each.clientWidth + 1)
    .map(each => each.outerHTML.slice(0, 100))`);
  expect(cut).toEqual([]);
});

test('names and keys are shown as they are, whatever they hold', async () => {
  const evil = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
  const remark: Remark = { severity: 'broken', text: `late: ${evil}` };
  const local: Remark = { severity: 'note', text: 'the schedule is not on this machine' };
  const at = iso(Date.now());
  const failed = sweepEnded(at, { execution: evil, failure: evil, counts: { found: 1, failed: 1 } });
  const facts = busy('Sessions', {
    ...{ alarms: [{ name: evil, since: at }], sweeps: [failed], isScheduled: null },
  });
  const look = async () => lookOf(at, lookedAt(facts, { verdict: 'broken', remarks: [remark, local] }));
  const page = await open(await serve(look));
  await page.waitForSelector('.why');
  for (const part of ['#table .remark', '.why td']) expect(await text(page, part)).toContain(evil);
  expect((await text(page, '#settings')).split(evil)).toHaveLength(2);
  expect(await text(page, '#settings')).toMatch(/schedule, each minute\s+not on this machine/);
  expect(await page.title()).toBe('✗ Broken: precise-ttl');
  expect(await page.locator('img').count()).toBe(0);
  expect(await page.locator('script').count()).toBe(1);
});

test('goes from table to table by the keyboard, and through the numbers of a plot', async () => {
  const looked = [busy('Sessions'), busy('Tokens', { sweeps: [] })].map(facts => lookedAt(facts));
  const page = await open(await serve(async () => lookOf(iso(Date.now()), ...looked)));
  await drawn(page);
  expect(await text(page, 'h2')).toBe('Sessions');
  // An address that was cut off names no table.
  await page.evaluate(`location.hash = '#table=%3'`);
  await page.locator('#to-Tokens').focus();
  await page.keyboard.press('Enter');
  await page.locator('h2', { hasText: 'Tokens' }).waitFor();
  expect(await text(page, '#lag')).toContain('No sweep has deleted anything');
  await page.goBack();
  await drawn(page);
  await page.locator('#minutes-plot').focus();
  const newest = await text(page, '#minutes .readout');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  const older = await text(page, '#minutes .readout');
  expect([newest, older]).toEqual([
    expect.stringMatching(/due \d+: deleted/),
    expect.stringMatching(/due \d+: deleted/),
  ]);
  expect(older).not.toBe(newest);
});

test('says when the command that serves it has ended, and keeps what it showed', async () => {
  const server = await serve();
  const page = await open(server);
  await server.stop();
  await page.waitForSelector('#trouble p');
  expect(await text(page, '#trouble')).toMatch(
    /^No data since \d\d:\d\d:\d\dZ: the command that serves this page has ended/,
  );
  expect(await text(page, '.tile >> nth=1')).toContain('nothing is overdue');
  await page.close();
  const complaints = browser.takeComplaints();
  expect(complaints).not.toEqual([]);
  expect(complaints.filter(each => !SERVER_IS_GONE.test(each))).toEqual([]);
});

test('the sweep of npx precise-ttl start: its page shows what it deletes', async () => {
  const pages: Page[] = [];
  const seen: string[] = [];
  const ended = await shellCommand(['start', '--minutes', '0.5', '--rate', '5'], {
    env: { AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint },
    onStart: child => {
      child.stdout.on('data', async (printed: Buffer) => {
        const [address] = /http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}\//.exec(String(printed)) ?? [];
        if (address === undefined || pages.length > 0) return;
        const page = await browser.open(address);
        pages.push(page);
        await page.waitForSelector('#minutes rect.deleted', { timeout: 240_000 });
        seen.push(await text(page, '.tile >> nth=2'), await text(page, '.lead'));
        child.kill('SIGINT');
      });
    },
  });
  expect(seen).toEqual([
    expect.stringMatching(/^Last minute\s+\d+ of \d+/),
    expect.stringContaining('is gone'),
  ]);
  expect([ended.status, ended.stderr]).toEqual([130, 'Interrupted.\n']);
  // The command has ended before its page, which still asks.
  await pages[0]?.close();
  expect(browser.takeComplaints().filter(each => !SERVER_IS_GONE.test(each))).toEqual([]);
});

// What the tests in a browser stand on: a page that does what it must not is seen.

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
