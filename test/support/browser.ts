import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { isLoopback } from 'stepfunctions-emulator/loopback';

/** Nothing that the browser does by itself: no look-ups, no updates, no profile of the person who runs it. */
const CHROMIUM_FLAGS: readonly string[] = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

/**
 * The program of Chromium, on the PATH of an environment.
 * @throws Error when there is none
 */
export function chromiumOf({ PATH = '' }: NodeJS.ProcessEnv): string {
  const found = PATH.split(delimiter)
    .map(folder => join(folder, 'chromium'))
    .find(file => existsSync(file));
  if (found !== undefined) return found;
  throw new Error(
    'chromium: expected the browser on the PATH, got none; on Debian, install the package chromium: apt-get install chromium',
  );
}

/** Pixels, and the colours that somebody prefers. */
export interface View {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
}

/** Starts a Chromium before the tests of a file, and ends it after them. To be called where hooks are, outside of tests. */
export function useBrowser() {
  let browser: Browser;
  let complaints: string[] = [];
  const windows: BrowserContext[] = [];

  beforeAll(async () => {
    // The package makes a profile in a new folder, and deletes it.
    browser = await chromium.launch({ executablePath: chromiumOf(process.env), args: [...CHROMIUM_FLAGS] });
  });
  afterEach(async () => {
    await Promise.all(windows.splice(0).map(window => window.close()));
    expect(takeComplaints()).toEqual([]);
  });
  afterAll(() => browser?.close());

  /** The complaints about the pages of this test so far. For a test that expects some: it takes them away. */
  function takeComplaints(): string[] {
    const taken = complaints;
    complaints = [];
    return taken;
  }

  /**
   * Opens an address in a window of its own, which is closed after the test. The test fails if the page writes an error to the
   * console, throws, or asks for anything that is not on this machine.
   */
  async function open(
    address: string,
    { width = 1280, height = 800, colorScheme = 'light' }: View = {},
  ): Promise<Page> {
    const window = await browser.newContext({ viewport: { width, height }, colorScheme });
    windows.push(window);
    const page = await window.newPage();
    watch(page, complaint => complaints.push(complaint));
    await page.goto(address);
    return page;
  }

  return { open, takeComplaints };
}

/**
 * The own time of a page and of this process while they work, milliseconds: other programs take turns with them.
 *
 * @param page one that has loaded nothing yet
 */
export async function ownMs(page: Page, work: () => Promise<unknown>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  const { metrics } = await session.send('Performance.getMetrics');
  const inPage = metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
  return 1_000 * inPage + (user + system) / 1_000;
}

function watch(page: Page, complain: (complaint: string) => void): void {
  page.on('console', message => {
    if (message.type() === 'error') complain(`error in the console: ${message.text()}`);
  });
  page.on('pageerror', error => complain(`error in the page: ${error.message}`));
  page.on('request', request => {
    if (!isOfThisMachine(request.url())) complain(`request to another machine: ${request.url()}`);
  });
  page.on('websocket', socket => {
    if (!isOfThisMachine(socket.url())) complain(`connection to another machine: ${socket.url()}`);
  });
}

/** Whether an address is a file, data in the page itself, or served by this machine. */
export function isOfThisMachine(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return ['file:', 'data:', 'blob:', 'about:'].includes(protocol) || isLoopback(hostname);
}
