/** `npm run bench page`: measures how fast the page of the Step Functions port opens, and what `npx precise-ttl local` holds while one is open. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, chromium, type Page } from 'playwright-core';
import { isLoopback } from 'stepfunctions-emulator/loopback';
import { count } from '../report/numbers.ts';
import { startBusyServer } from './page/busy-server.ts';
import { memoryOf, startCloudProcess } from './page/processes.ts';
import { CHROMIUM_FLAGS, chromiumOf } from './support/chromium.ts';
import { defineExperiment, markdownTable, type Run, whole } from './support/experiment.ts';

const FLAGS = {
  openings: whole({ min: 1, max: 100 }, 9, 'times that the page is opened, each in a window of its own'),
  executions: whole({ min: 1, max: 900 }, 500, 'executions that the page lists'),
  events: whole({ min: 100, max: 25_000 }, 25_000, 'events of the one that is opened'),
  minutes: whole({ min: 0, max: 1_440 }, 20, 'how long a page stays open (0: not at all)'),
  warmUp: whole({ min: 0, max: 600 }, 120, 'seconds that it is open before'),
} as const;

type PageRun = Run<typeof FLAGS>;

/** The page opens in less, milliseconds. */
const MAX_OPENING_MS = 1_000;
/** The command grows by no more while a page is open, MB. */
const MAX_GROWTH_MB = 50;
const MINUTE_MS = 60_000;

export default defineExperiment({
  name: 'page',
  about: `
Opens the page of the Step Functions port in Chromium: one with many executions, and an execution with many events. Counts from the click on its
address until all events are shown. Then starts npx precise-ttl local in a process of its own, opens its page and that of the sweep, and looks at
the resident memory of the process each minute. A request beyond this machine and an error in the console are problems. Linux only.`,
  flags: FLAGS,
  holds: `the page opened in less than a second (the median), the command grew by at most ${MAX_GROWTH_MB} MB, and nothing was asked of another machine`,
  async run(run) {
    const browser = await chromium.launch({
      executablePath: chromiumOf(process.env),
      args: [...CHROMIUM_FLAGS],
    });
    try {
      const openings = await measureOpenings(run, browser);
      const minutesMb = run.flags.minutes === 0 ? [] : await measureMemory(run, browser);
      const result = { openings, minutesMb };
      return { text: textOf(result), result, problems: problemsOf(result), unproven: doubtsOf(result) };
    } finally {
      await browser.close();
    }
  },
});

/** One opening of the page, milliseconds. */
export interface Opening {
  /** By the clock. */
  readonly ms: number;
  /** Processor time of the page and the server; other programs do not count. */
  readonly processorMs: number;
}

export interface PageResult {
  /** In the order in which they were measured. */
  readonly openings: readonly Opening[];
  /** Resident memory after the warm-up and after each minute, MB. */
  readonly minutesMb: readonly number[];
}

export function problemsOf({ openings, minutesMb }: PageResult): string[] {
  const opening = medianOf(openings.map(({ processorMs }) => processorMs));
  const growth = Math.max(0, ...minutesMb) - (minutesMb[0] ?? 0);
  return [
    ...(opening < MAX_OPENING_MS
      ? []
      : [
          `to open the page took ${count(opening)} ms of the processors (the median); expected less than ${count(MAX_OPENING_MS)}`,
        ]),
    ...(growth <= MAX_GROWTH_MB
      ? []
      : [`the command grew by ${count(growth)} MB; expected at most ${MAX_GROWTH_MB}`]),
  ];
}

/** Reasons why a run proves nothing: the clock does not count on a machine that is busy with other work. */
export function doubtsOf({ openings }: PageResult): string[] {
  const opening = medianOf(openings.map(({ ms }) => ms));
  if (opening < MAX_OPENING_MS) return [];
  return [
    `the page opened in ${count(opening)} ms (the median), expected less than ${count(MAX_OPENING_MS)}, while other programs used the processors`,
  ];
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function textOf({ openings, minutesMb }: PageResult): string {
  const figures = (values: readonly number[]) => [
    values[0] ?? 0,
    Math.min(...values),
    medianOf(values),
    Math.max(...values),
    values.at(-1) ?? 0,
  ];
  const row = (name: string, values: readonly number[]) => [
    name,
    ...figures(values).map(value => count(value)),
  ];
  return markdownTable(
    ['', 'first', 'least', 'median', 'most', 'last'],
    [
      row(
        'the page opens, ms',
        openings.map(({ ms }) => ms),
      ),
      row(
        'of that computed by page and server, ms',
        openings.map(({ processorMs }) => processorMs),
      ),
      ...(minutesMb.length === 0 ? [] : [row('resident with a page open, MB', minutesMb)]),
    ],
  );
}

async function measureOpenings(
  { flags, problems, progress, signal }: PageRun,
  browser: Browser,
): Promise<Opening[]> {
  const server = await startBusyServer(flags);
  try {
    const openings: Opening[] = [];
    while (openings.length < flags.openings && !signal.aborted) {
      const page = await newPage(browser, problem => problems.add(problem));
      const computed = await startComputing(page);
      const startedAt = performance.now();
      await page.goto(server.address);
      await page.waitForSelector(`text=${server.events.toLocaleString('en-US')} events`);
      const ms = Math.round(performance.now() - startedAt);
      openings.push({ ms, processorMs: Math.round(await computed()) });
      await page.context().close();
      progress.show(
        `${count(server.executions)} executions, ${count(server.events)} events: opened in ${openings.at(-1)?.ms} ms`,
      );
    }
    return openings;
  } finally {
    await server.stop();
  }
}

/**
 * Begins to measure processor time. @returns a function that returns the milliseconds for which the page, and this process with the server,
 * have computed since
 */
async function startComputing(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const before = process.cpuUsage();
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    const { user, system } = process.cpuUsage(before);
    const ofPage = metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
    return 1_000 * ofPage + (user + system) / 1_000;
  };
}

async function measureMemory(
  { flags, print, problems, signal }: PageRun,
  browser: Browser,
): Promise<number[]> {
  const cloud = await startCloudProcess();
  const pages: Page[] = [];
  try {
    for (const address of [`${cloud.sfnEndpoint}/`, cloud.sweepPage]) {
      const page = await newPage(browser, problem => problems.add(problem));
      await page.goto(address);
      pages.push(page);
    }
    const pause = (ms: number) =>
      Promise.race([sleep(ms, undefined, { signal }).catch(() => {}), cloud.ended]);
    await pause(flags.warmUp * 1_000);
    const minutes = [residentMb(cloud.pid)];
    while (minutes.length <= flags.minutes && !signal.aborted) {
      await pause(MINUTE_MS);
      minutes.push(residentMb(cloud.pid));
      print(`minute ${minutes.length - 1}: ${minutes.at(-1)} MB`);
    }
    return minutes;
  } finally {
    // A page whose server is gone has errors in its console.
    for (const page of pages) await page.context().close();
    await cloud.stop();
  }
}

const residentMb = (pid: number): number => Math.round(memoryOf(pid)?.residentMb ?? 0);

/** A page in a window of its own, whose errors and whose requests beyond this machine are reported as problems. */
async function newPage(browser: Browser, tell: (problem: string) => void): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  page.on('console', message => {
    if (message.type() === 'error') tell(`the page has an error in the console: ${message.text()}`);
  });
  page.on('pageerror', error => tell(`the page has an error: ${error.message}`));
  page.on('request', request => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol !== 'data:' && !isLoopback(hostname))
      tell(`the page asks another machine: ${request.url()}`);
  });
  return page;
}
