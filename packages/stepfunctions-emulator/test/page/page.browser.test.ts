import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { useBrowser } from '../../../../test/support/browser.ts';
import type { Execution } from '../../src/interpreter/index.ts';
import { fails, stateMachine, takes } from '../../src/testing/index.ts';
import {
  DISTRIBUTED,
  EVIL,
  EVIL_MACHINE,
  MANY,
  ORDERS,
  type PageServer,
  startPageServer,
} from './support.ts';

// What a person sees on the page. A console error, or a request to another machine, fails each of these tests.

const browser = useBrowser();
let server: PageServer;

beforeAll(async () => {
  server = await startPageServer();
  for (const [name, definition] of Object.entries({ orders: ORDERS, many: MANY, 'fan-out': DISTRIBUTED })) {
    server.add(name, definition);
  }
  server.add('<b>evil', EVIL_MACHINE);
});
afterAll(() => server.stop());

const order = { order: 'o-1', seconds: 0, lines: [{ sku: 'a' }, { sku: 'gone' }, { sku: 'c' }] };
const ended = (machine: string, input: unknown, name: string) => server.start(machine, input, name).done;
const open = (execution: Execution, view = {}) => browser.open(server.addressOf(execution), view);

/** The outcome that a state is coloured by. */
const stateOf = (page: Page, name: string) =>
  page.locator(`[data-state="${name}"]`).getAttribute('aria-label');
const rowsOf = (page: Page) => page.locator('.waterfall [data-visit]').allInnerTexts();
const headerOf = (page: Page) => page.locator('header').innerText();
const detailsOf = (page: Page) => page.locator('.details').innerText();

/** Colours are there to be seen: what a person who sees none is told says the same. */
const fillOf = (page: Page, state: string) =>
  page.evaluate(`getComputedStyle(document.querySelector('[data-state="${state}"] rect')).fill`);

test('an execution that succeeded: its path, its visits, and what each of them got and gave', async () => {
  const page = await open(await ended('orders', order, 'happy'));
  await page.waitForSelector('header .badge.succeeded');
  expect(await headerOf(page)).toMatch(/happy\s+succeeded\s+orders · .* · 11 visits · 52 events/);
  expect(await stateOf(page, 'Ship')).toBe('Ship, Task, succeeded, 1 visit');
  expect(await stateOf(page, 'Reserve')).toBe('Reserve, Task, failed, caught, 3 visits');
  expect(await stateOf(page, 'Ask a person')).toBe('Ask a person, Wait, not visited');
  const fills = await Promise.all(['Ship', 'Reserve', 'Ask a person'].map(name => fillOf(page, name)));
  expect(new Set(fills).size).toBe(3);
  expect(await rowsOf(page)).toHaveLength(11);
  expect(await detailsOf(page)).toMatch(/Started\s+\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/);
  await page.click('[data-state="Ship"]');
  await page.waitForSelector('.details h3:has-text("Output")');
  const details = await detailsOf(page);
  for (const text of ['Ship', 'succeeded', '"order": "o-1"', '"parcel": "p-o-1"', '$lines']) {
    expect(details).toContain(text);
  }
  expect(await page.locator('[data-visit][aria-pressed="true"]').innerText()).toContain('Ship');
});

test('an execution that failed: where, with which error and cause', async () => {
  const page = await open(await ended('orders', { ...order, invalid: true }, 'no-customer'));
  await page.waitForSelector('header .badge.failed');
  expect(await stateOf(page, 'Validate')).toBe('Validate, Task, failed, caught, 1 visit');
  expect(await stateOf(page, 'Rejected')).toBe('Rejected, Fail, failed, 1 visit');
  expect(await stateOf(page, 'Prepare')).toBe('Prepare, Parallel, not visited');
  expect(await detailsOf(page)).toMatch(/Error\s+Rejected[\s\S]*The order has no customer/);
  await page.click('.waterfall [data-visit]:has-text("Validate")');
  expect(await detailsOf(page)).toMatch(/Error\s+Invalid[\s\S]*The order has no customer/);
});

test('an execution that was tried again: attempts and the pauses between them', async () => {
  const page = await open(await ended('orders', { ...order, busy: 1 }, 'busy-once'));
  const row = page.locator('[data-visit]:has-text("Validate")');
  expect(await row.getAttribute('aria-label')).toMatch(/^Validate, succeeded, 1(\.\d+)? s, 1 retry$/);
  const bars = `[...document.querySelectorAll('[data-visit="2"] .bar')].map(bar => bar.className)`;
  expect(await page.evaluate(bars)).toEqual([
    'bar whole succeeded',
    'bar attempt failed',
    'bar retry ',
    'bar attempt succeeded',
  ]);
  expect(await row.locator('.bar.retry').getAttribute('title')).toMatch(
    /^pause before the next attempt, 1(\.\d+)? s$/,
  );
  await row.click();
  expect(await detailsOf(page)).toMatch(/Attempts\s+2[\s\S]*Busy[\s\S]*try later/);
});

test('an execution that runs is followed to its end, and a new one appears in the list', async () => {
  const running = server.start('orders', { ...order, seconds: 10 }, 'cooling-down');
  const page = await open(running);
  await page.waitForSelector('header .badge.running');
  await page.waitForSelector('[data-state="Cool down"].running');
  expect(await stateOf(page, 'Charge')).toBe('Charge, Task, not visited');
  await page.click('[data-state="Cool down"]');
  expect(await detailsOf(page)).toMatch(/running[\s\S]*Lasts/);
  expect(await page.locator('[data-execution="cooling-down"]').innerText()).toContain('running');
  server.start('orders', order, 'one-more');
  await page.waitForSelector('[data-execution="one-more"]', { timeout: 4_000 });
  await running.done;
  await page.waitForSelector('header .badge.succeeded', { timeout: 4_000 });
  expect(await stateOf(page, 'Charge')).toBe('Charge, Task, succeeded, 1 visit');
  expect(await detailsOf(page)).toMatch(/succeeded[\s\S]*Took[\s\S]*Output/);
});

test('a Map of 1,000 iterations is a strip of cells; a cell shows its iteration', async () => {
  const page = await open(await ended('many', { items: 1_000 }, 'a-thousand'));
  await page.waitForSelector('text=9,008 events');
  const strip = page.locator('.cells');
  expect(await strip.getAttribute('aria-label')).toBe('1,000 iterations: 1,000 succeeded');
  expect(await strip.locator('.cell').count()).toBe(1_000);
  expect(await rowsOf(page)).toHaveLength(4);
  await strip.locator('[data-cell="499"]').click();
  expect(await page.locator('.waterfall [data-visit]:has-text("#499")').innerText()).toContain('Work');
  expect((await rowsOf(page)).join()).toContain('Note it');
  await page.locator('.cells').focus();
  await page.keyboard.press('ArrowRight');
  await page.waitForSelector('[data-visit]:has-text("#500")');
  expect((await rowsOf(page)).join()).toContain('Tidy');
  await page.click('[data-state="Work"]');
  expect(await detailsOf(page)).toContain('1,000 visits. Choose one.');
});

test('at 360 pixels an iteration comes into sight below the cells when its cell is pressed', async () => {
  const page = await open(await ended('many', { items: 1_000 }, 'on-a-phone'), { width: 360, height: 740 });
  await page.waitForSelector('text=9,008 events');
  await page.locator('[data-cell="7"]').click();
  const inSight = `(() => {
    const row = [...document.querySelectorAll('.waterfall [data-visit]')].find(each => each.innerText.includes('#7'));
    const [shown, seen] = [document.querySelector('.scrolled'), row].map(each => each.getBoundingClientRect());
    return seen.top >= shown.top && seen.bottom <= shown.bottom + 1;
  })()`;
  await page.waitForSelector('[data-visit]:has-text("#7")');
  expect(await page.evaluate(inSight)).toBe(true);
});

test('the executions of a Map Run are cells that open them, and lead back', async () => {
  const items = Array.from({ length: 30 }, (_none, index) => (index === 17 ? 500 : index));
  const page = await open(await ended('fan-out', items, 'thirty'));
  await page.waitForSelector('.cell.failed');
  expect(await page.locator('.cells').getAttribute('aria-label')).toBe(
    '30 executions: 29 succeeded, 1 failed',
  );
  await page.click('[data-state="Child work"]');
  expect(await detailsOf(page)).toContain('The executions of the distributed Map visit this state');
  await page.click('.cell.failed');
  await page.waitForSelector('[data-state="Child work"].failed');
  expect(await page.locator('[data-state]').count()).toBe(1);
  expect(await detailsOf(page)).toMatch(/Error\s+Broken[\s\S]*number 500/);
  await page.click('text=to the execution of the Map');
  await page.waitForSelector('h1:has-text("thirty")');
});

test('names, keys and inputs with HTML in them are shown as they are, and do nothing', async () => {
  const page = await open(await ended('<b>evil', { [EVIL]: EVIL }, 'evil'));
  await page.click('.waterfall [data-visit]:first-child');
  await page.waitForSelector('.details h3:has-text("Input")');
  expect(await detailsOf(page)).toContain('<script>throw new Error(\\"run\\")</script>');
  expect(await page.locator('.machines').innerText()).toContain('<b>evil');
  expect(await rowsOf(page)).toEqual([
    expect.stringContaining('</script><b>First'),
    expect.stringContaining('<img src=x onerror=alert(1)>'),
  ]);
  expect(await page.locator('img, #page b:not(.error b), #page script, #page i:not([class])').count()).toBe(
    0,
  );
});

test.each([
  [360, 'light'],
  [360, 'dark'],
  [1_600, 'light'],
  [1_600, 'dark'],
] as const)(
  'at %i pixels, %s: nothing is wider than the window, and texts stand out',
  async (width, colorScheme) => {
    const page = await open(await ended('orders', order, `size-${width}-${colorScheme}`), {
      ...{ width, height: 800, colorScheme },
    });
    await page.waitForSelector('[data-visit]:has-text("Ship")');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    for (const part of ['header h1', '.details', '.waterfall [data-visit]']) {
      expect(await page.locator(part).first().isVisible()).toBe(true);
    }
    const contrasts = (await page.evaluate(CONTRASTS)) as { readonly of: string; readonly ratio: number }[];
    // No name of a state is cut, and no time is named twice.
    const cut = `[...document.querySelectorAll('.waterfall .name')].filter(each => each.scrollWidth > each.clientWidth).length`;
    expect(await page.evaluate(cut)).toBe(0);
    const times = await page.locator('.axis .track span').allInnerTexts();
    expect(times.length).toBeGreaterThan(1);
    expect(new Set(times).size).toBe(times.length);
    expect(contrasts.length).toBeGreaterThan(5);
    expect(contrasts.filter(({ ratio }) => ratio < 4.5)).toEqual([]);
  },
);

/** The contrast of texts to what is behind them, as WCAG 2 reckons it. */
const CONTRASTS = `(() => {
  const channels = color => color.match(/[\\d.]+/g).map(Number);
  const luminance = color => {
    const [r, g, b] = channels(color).map(c => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = element => {
    for (let each = element; each; each = each.parentElement) {
      const { backgroundColor } = getComputedStyle(each);
      if (channels(backgroundColor)[3] !== 0) return backgroundColor;
    }
    return 'rgb(255, 255, 255)';
  };
  return ['h1', '.badge', 'header .facts', '.details dt', '.details dd', '.details pre', '.took', '.axis span', '.waterfall .name', '.hint']
    .flatMap(of => {
      const element = document.querySelector(of);
      if (!element) return [];
      const [light, dark] = [luminance(getComputedStyle(element).color), luminance(behind(element))].sort((a, b) => b - a);
      return [{ of, ratio: (light + 0.05) / (dark + 0.05) }];
    });
})()`;

test('the keyboard reaches everything: states by arrows, rows by arrows, Enter opens, Escape goes back', async () => {
  const page = await open(await ended('orders', order, 'by-keyboard'));
  const focused = () =>
    page.evaluate('document.activeElement.dataset.state ?? document.activeElement.innerText');
  await page.locator('[data-state="Validate"]').focus();
  await page.keyboard.press('ArrowDown');
  expect(await focused()).toBe('Prepare');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.details h2:has-text("Prepare")');
  await page.locator('.waterfall [data-visit]').first().focus();
  await page.keyboard.press('ArrowDown');
  expect(await focused()).toContain('Prepare');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  expect(await focused()).toContain('Reserve');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.details h2:has-text("Reserve")');
  await page.keyboard.press('Escape');
  await page.waitForSelector('.details h2:has-text("Execution")');
});

test('the Tab key comes to each list once, and to the cells of a Map; the arrows lead out of them', async () => {
  const page = await open(await ended('many', { items: 20 }, 'by-tab'));
  await page.waitForSelector('.cells');
  await page.locator('summary').focus();
  const stops: string[] = [];
  const stop = `(() => {
    const list = document.activeElement.closest('.machines, .executions, .graph, .waterfall, .details');
    return list === null ? 'none' : list.classList[0];
  })()`;
  do {
    await page.keyboard.press('Tab');
    stops.push(String(await page.evaluate(stop)));
  } while (!stops.includes('details') && stops.length < 50);
  const after = stops.slice(stops.indexOf('executions'));
  expect(after).toEqual(['executions', 'graph', 'waterfall', 'waterfall', 'details']);
  await page.locator('.cells').focus();
  await page.keyboard.press('ArrowDown');
  expect(await page.evaluate('document.activeElement.innerText')).toContain('Work');
  await page.keyboard.press('ArrowUp');
  expect(await page.evaluate('document.activeElement.innerText')).toContain('Each');
});

test('without an execution, and without its server, the page says so', async () => {
  const empty = await startPageServer();
  const page = await browser.open(empty.address);
  expect(await page.locator('.navigation').innerText()).toContain('No state machine yet');
  empty.add('orders', ORDERS);
  await page.waitForSelector('text=No execution yet', { timeout: 4_000 });
  expect(await stateOf(page, 'Ship')).toBe('Ship, Task, not visited');
  await empty.stop();
  await page.waitForSelector('.notice:has-text("The server does not answer")', { timeout: 4_000 });
  const complaints = browser.takeComplaints();
  expect(complaints.filter(each => !each.includes('ERR_CONNECTION_REFUSED'))).toEqual([]);
});

test('an address that was cut off names no execution, and the page says so', async () => {
  const page = await browser.open(`${server.address}#arn%3`);
  await page.waitForSelector('.notice:not([hidden])');
  expect(browser.takeComplaints().filter(each => !each.includes('status of 4'))).toEqual([]);
});

test('who sees no colours reads what failed and what was caught', async () => {
  const page = await open(await ended('orders', { ...order, invalid: true }, 'in-words'));
  await page.waitForSelector('header .badge.failed');
  expect(await page.locator('[data-state="Rejected"] .about').textContent()).toBe('✗ Fail');
  expect(await page.locator('[data-state="Validate"] .about').textContent()).toBe('! Task');
  expect(await page.locator('[data-execution="in-words"] small').innerText()).toMatch(/^failed, .* UTC$/);
});

test('a graph that is larger than the window: the state that failed is in sight, and a button shows all of it', async () => {
  const names = Array.from({ length: 30 }, (_none, index) => `State ${index}`);
  const States = Object.fromEntries(
    names.map((name, index) => [name, { Type: 'Pass', Next: names[index + 1] ?? 'Broken' }]),
  );
  server.add('long', {
    ...{ QueryLanguage: 'JSONata', StartAt: 'State 0' },
    States: { ...States, Broken: { Type: 'Fail', Error: 'Broken' } },
  });
  const page = await open(await ended('long', {}, 'long'));
  await page.waitForSelector('header .badge.failed');
  const inSight = (state: string) =>
    page.evaluate(`(() => {
      const [shown, state] = ['.graph', '[data-state="${state}"]'].map(each => document.querySelector(each).getBoundingClientRect());
      return state.top >= shown.top - 1 && state.bottom <= shown.bottom + 1;
    })()`);
  expect(await Promise.all([inSight('Broken'), inSight('State 0')])).toEqual([true, false]);
  await page.click('button:has-text("Whole graph")');
  expect(await Promise.all([inSight('Broken'), inSight('State 0')])).toEqual([true, true]);
  await page.click('button:has-text("Readable size")');
  expect(await inSight('State 0')).toBe(false);
});

describe('500 executions, and one with 25,000 events', () => {
  let full: PageServer;
  let long: Execution;
  beforeAll(async () => {
    full = await startPageServer();
    full.add('orders', ORDERS);
    full.add('many', MANY);
    long = await full.start('many', { items: 2_700 }, 'long').done;
    const all = Array.from({ length: 500 }, (_none, index) =>
      full.start('orders', { ...order, invalid: true }, `order-${index}`),
    );
    await Promise.all(all.map(({ done }) => done));
  });
  afterAll(() => full.stop());

  test('opens in less than a second, with few elements', async () => {
    expect(long.history.length).toBeGreaterThan(24_000);
    const page = await browser.open('about:blank');
    // Its own time: other tests and programs take turns with it.
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const own = async () => {
      const { metrics } = await session.send('Performance.getMetrics');
      return 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
    };
    const served = process.cpuUsage();
    await page.goto(full.addressOf(long));
    await page.waitForSelector('text=24,308 events');
    const { user, system } = process.cpuUsage(served);
    expect((await own()) + (user + system) / 1_000).toBeLessThan(1_000);
    expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(3_000);
    await page.click('.machines button:has-text("orders")');
    await page.waitForSelector('summary:has-text("500 executions")');
    expect(await page.locator('[data-execution]').count()).toBeLessThan(60);
    await page.locator('[data-execution]').first().focus();
    for (let pages = 0; pages < 40; pages++) await page.keyboard.press('PageDown');
    await page.waitForSelector('[data-execution="order-0"]');
  });

  test('a page that stays open takes no more memory', async () => {
    const running = full.start('orders', { ...order, seconds: 600 }, 'lasting');
    const page = await browser.open(full.addressOf(running));
    await page.waitForSelector('header .badge.running');
    const session = await page.context().newCDPSession(page);
    const measured = async () => {
      await session.send('HeapProfiler.collectGarbage');
      const { nodes } = await session.send('Memory.getDOMCounters');
      return { nodes, bytes: (await session.send('Runtime.getHeapUsage')).usedSize };
    };
    await page.waitForTimeout(2_000);
    const before = await measured();
    for (let round = 0; round < 8; round++) {
      full.start('orders', { ...order, invalid: true }, `more-${round}`);
      await page.waitForTimeout(1_000);
    }
    const after = await measured();
    running.stop();
    expect(after.nodes).toBeLessThan(before.nodes + 200);
    expect(after.bytes).toBeLessThan(before.bytes + 2_000_000);
  });
});

describe('a written report', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'page-report-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('shows the execution from a file, with its data inside', async () => {
    const file = join(folder, 'report.html');
    const execution = await stateMachine.from(ORDERS).run({
      input: { ...order, seconds: 600 },
      functions: {
        Validate: [fails('Busy'), takes(500, order)],
        Reserve: {},
        Charge: fails('CardDeclined', 'no money'),
      },
    });
    await execution.writeHtml(file);
    const page = await browser.open(pathToFileURL(file).href, { width: 1_600, height: 1_000 });
    await page.waitForSelector('header .badge.failed');
    expect(await stateOf(page, 'Charge')).toBe('Charge, Task, failed, 1 visit');
    expect(await stateOf(page, 'Validate')).toBe('Validate, Task, succeeded, 1 visit, 1 retry');
    await page.click('[data-visit]:has-text("Charge")');
    await page.waitForSelector('.details h3:has-text("Input")');
    expect(await detailsOf(page)).toMatch(/CardDeclined[\s\S]*no money[\s\S]*"sku": "gone"/);
  });

  test('of names and data with HTML in them shows what they are', async () => {
    const file = join(folder, 'evil.html');
    const execution = await stateMachine.from(EVIL_MACHINE).run({
      input: { [EVIL]: `</script>${EVIL}<!-- <script>` },
      functions: { Work: fails('</script>', EVIL) },
    });
    await execution.writeHtml(pathToFileURL(file));
    const page = await browser.open(pathToFileURL(file).href);
    await page.waitForSelector('header .badge.failed');
    expect(await detailsOf(page)).toContain('<!-- <script>');
    expect(await page.locator('img, #page script').count()).toBe(0);
  });

  test('has the executions of distributed Maps', async () => {
    const file = join(folder, 'distributed.html');
    const Work = (item: number) => {
      if (item === 3) throw Object.assign(new Error('no'), { name: 'Broken' });
      return item;
    };
    const execution = await stateMachine.from(DISTRIBUTED).run({ input: [1, 2, 3, 4], functions: { Work } });
    await execution.writeHtml(file);
    const page = await browser.open(pathToFileURL(file).href, { width: 360, height: 700 });
    await page.click('.cell.failed');
    await page.waitForSelector('[data-state="Child work"].failed');
    await page.click('text=to the execution of the Map');
    await page.waitForSelector('[data-state="Fan out"]');
  });
});
