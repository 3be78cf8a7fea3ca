import type { Page } from 'playwright-core';
import { ownMs, useBrowser } from '../../../../test/support/browser.ts';
import type { Execution } from '../../src/interpreter/index.ts';
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
});
afterAll(() => server.stop());

const order = { order: 'o-1', seconds: 0, lines: [{ sku: 'a' }, { sku: 'gone' }, { sku: 'c' }] };
const ended = (machine: string, input: unknown, name: string) => server.start(machine, input, name).done;
const open = (execution: Execution, view = {}) => browser.open(server.addressOf(execution), view);

/** The outcome that a state is coloured by. */
const stateOf = (page: Page, name: string) =>
  page.locator(`[data-state="${name}"]`).getAttribute('aria-label');
const eventsOf = (page: Page) => page.locator('[data-event]').allInnerTexts();
const searchOf = (page: Page, what: string) => page.getByPlaceholder(`Search ${what}`);
const headerOf = (page: Page) => page.locator('header').innerText();
const detailsOf = (page: Page) => page.locator('.details').innerText();

/** Colours are there to be seen: what a person who sees none is told says the same. */
const fillOf = (page: Page, state: string) =>
  page.evaluate(`getComputedStyle(document.querySelector('[data-state="${state}"] rect')).fill`);

test('an execution that succeeded: its path, its events, and what each visit got and gave', async () => {
  const page = await open(await ended('orders', order, 'happy'));
  await page.waitForSelector('header .badge.succeeded');
  expect(await headerOf(page)).toMatch(
    /order: o-1, seconds: 0\s+succeeded\s+orders · .* · 11 visits · 52 events/,
  );
  expect(await stateOf(page, 'Ship')).toBe('Ship, Task, succeeded, 1 visit');
  expect(await stateOf(page, 'Reserve')).toBe('Reserve, Task, failed, caught, 3 visits');
  expect(await stateOf(page, 'Ask a person')).toBe('Ask a person, Wait, not visited');
  const fills = await Promise.all(['Ship', 'Reserve', 'Ask a person'].map(name => fillOf(page, name)));
  expect(new Set(fills).size).toBe(3);
  expect((await eventsOf(page))[1]).toMatch(/^2\s+TaskStateEntered\s+Validate\s+\+\d+ ms/);
  expect(await detailsOf(page)).toMatch(/Name\s+happy[\s\S]*Started\s+\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/);
  await page.click('[data-state="Ship"]');
  await page.waitForSelector('.details h3:has-text("Output")');
  const details = await detailsOf(page);
  for (const text of ['Ship', 'succeeded', '"order": "o-1"', '"parcel": "p-o-1"', '$lines']) {
    expect(details).toContain(text);
  }
  expect(await eventsOf(page)).toHaveLength(5);
  expect(await page.locator('.events [aria-selected="true"]').innerText()).toMatch(
    /TaskStateExited\s+Ship[\s\S]*took/,
  );
  await page.click('[data-state="Reserve"]');
  expect(await detailsOf(page)).toMatch(
    /failed, caught[\s\S]*#1 of Reserve all[\s\S]*OutOfStock[\s\S]*none left/,
  );
});

test('an execution that failed opens where it did, with the error and its cause', async () => {
  const page = await open(await ended('orders', { ...order, invalid: true }, 'no-customer'));
  await page.waitForSelector('header .badge.failed');
  expect(await stateOf(page, 'Validate')).toBe('Validate, Task, failed, caught, 1 visit');
  expect(await stateOf(page, 'Prepare')).toBe('Prepare, Parallel, not visited');
  await page.waitForSelector('[data-state="Rejected"][aria-pressed="true"]');
  expect(await detailsOf(page)).toMatch(/^← execution\s+Rejected Fail[\s\S]*The order has no customer/);
  // Who sees no colours reads it.
  expect(await page.locator('[data-state="Rejected"] .about').textContent()).toBe('✗ Fail');
  expect(await page.locator('[data-state="Validate"] .about').textContent()).toBe('! Task');
  expect(await page.locator('[data-execution="no-customer"] small').innerText()).toMatch(/^failed, .* UTC$/);
});

test('names and data with HTML in them are shown as they are', async () => {
  server.add('evil', EVIL_MACHINE);
  const page = await open(await ended('evil', { [EVIL]: `</script>${EVIL}<!-- <script>` }, 'evil'));
  await page.waitForSelector('header .badge.failed');
  await page.keyboard.press('Escape');
  await page.waitForSelector('.details h2:has-text("Execution")');
  expect(await detailsOf(page)).toContain('<!-- <script>');
  expect(await page.locator('img, #page script').count()).toBe(0);
});

test('executions are called by their inputs, and are found by name, input and status', async () => {
  const input = { scheduledTime: '2026-11-28T12:07:00Z', ...order };
  const tick = await ended('orders', input, '8d5cbc3e');
  await ended('orders', { ...input, invalid: true, scheduledTime: '2026-11-28T12:08:00Z' }, '77a1');
  const page = await open(tick);
  await page.waitForSelector('h1:has-text("2026-11-28 12:07")');
  const found = async (text: string) => {
    await searchOf(page, 'executions').fill(text);
    return page.locator('[data-execution] .name').allInnerTexts();
  };
  const [seven, eight] = ['2026-11-28 12:07, order: o-1', '2026-11-28 12:08, order: o-1'];
  expect(await found('2026-11-28')).toEqual([eight, seven]);
  expect(await found('8D5C')).toEqual([seven]);
  expect(await found('failed')).toContain(eight);
  expect(await found('nothing')).toEqual([]);
  expect(await page.locator('summary').innerText()).toBe('0 executions');
});

test('an execution that runs is followed to its end, and a new one appears in the list', async () => {
  const running = server.start('orders', { ...order, seconds: 10 }, 'cooling-down');
  const page = await open(running);
  await page.waitForSelector('header .badge.running');
  await page.waitForSelector('[data-state="Cool down"].running');
  expect(await stateOf(page, 'Charge')).toBe('Charge, Task, not visited');
  await page.click('[data-state="Cool down"]');
  expect(await detailsOf(page)).toMatch(/running/);
  expect(await page.locator('[data-execution="cooling-down"]').innerText()).toContain('running');
  server.start('orders', order, 'one-more');
  await page.waitForSelector('[data-execution="one-more"]', { timeout: 4_000 });
  await running.done;
  await page.waitForSelector('header .badge.succeeded', { timeout: 4_000 });
  expect(await stateOf(page, 'Charge')).toBe('Charge, Task, succeeded, 1 visit');
  expect(await detailsOf(page)).toMatch(/succeeded[\s\S]*Took[\s\S]*Output/);
});

test('of a Map of 1,000 iterations, the events of one are found', async () => {
  const page = await open(await ended('many', { items: 1_000 }, 'a-thousand'));
  await page.waitForSelector('text=9,008 events');
  await searchOf(page, 'events').fill('#499');
  await page.waitForSelector('text=9 of 9,008 events');
  const events = (await eventsOf(page)).map(event => event.split(/\s+/).slice(1, 3).join(' '));
  expect(events).toContain('LambdaFunctionFailed Work');
  expect(events.at(-1)).toBe('MapIterationSucceeded Each');
  await page.locator('[data-event]:has-text("LambdaFunctionFailed")').click();
  expect(await detailsOf(page)).toMatch(/Iteration\s+#499 of Each[\s\S]*Broken[\s\S]*number 500/);
});

test('the executions of a Map Run lead to each, those that failed first, and back', async () => {
  const items = Array.from({ length: 30 }, (_none, index) => (index === 17 ? 500 : index));
  const page = await open(await ended('fan-out', items, 'thirty'));
  await page.locator('[data-event="2"]').click();
  expect(await detailsOf(page)).toContain('30 executions: 1 failed, 29 succeeded');
  await page.locator('.child').first().click();
  await page.waitForSelector('[data-state="Child work"].failed');
  expect(await page.locator('[data-state]').count()).toBe(1);
  expect(await detailsOf(page)).toMatch(/Error\s+Broken[\s\S]*number 500/);
  await page.click('text=to the execution of the Map');
  await page.waitForSelector('h1:has-text("thirty")');
});

test.each([
  [360, 'dark'],
  [1_600, 'light'],
] as const)('at %i pixels, %s: nothing is wider than the window', async (width, colorScheme) => {
  const page = await open(await ended('orders', order, `size-${width}-${colorScheme}`), {
    ...{ width, height: 800, colorScheme },
  });
  await page.waitForSelector('[data-event]:has-text("Validate")');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  for (const part of ['header h1', '.details', '[data-event]']) {
    expect(await page.locator(part).first().isVisible()).toBe(true);
  }
});

test('the keyboard reaches everything: states and events by arrows, Enter opens, Escape goes back', async () => {
  const page = await open(await ended('orders', order, 'by-keyboard'));
  const inside = () =>
    page.evaluate(`document.activeElement.closest('.navigation, .graph, .events, .details')?.classList[0]`);
  const stops: unknown[] = [];
  await page.waitForSelector('[data-event]');
  await page.locator('summary').focus();
  for (let stop = 0; stop < 7; stop++) {
    await page.keyboard.press('Tab');
    stops.push(await inside());
  }
  expect(stops).toEqual(['navigation', 'navigation', 'navigation', 'graph', 'events', 'events', 'details']);
  await page.locator('[data-state="Validate"]').focus();
  await page.keyboard.press('ArrowDown');
  expect(await page.evaluate('document.activeElement.dataset.state')).toBe('Prepare');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.details h2:has-text("Prepare")');
  await page.keyboard.press('Escape');
  await page.waitForSelector('.details h2:has-text("Execution")');
  await page.locator('.events .list').focus();
  await page.keyboard.press('End');
  expect(await page.locator('.events [aria-selected="true"]').innerText()).toContain('ExecutionSucceeded');
  await page.keyboard.press('ArrowUp');
  await page.waitForSelector('.details h2:has-text("Ship")');
});

test('without an execution, and without its server, the page says so', async () => {
  const empty = await startPageServer();
  const page = await browser.open(empty.address);
  await page.waitForSelector('.navigation :has-text("No state machine yet")');
  empty.add('orders', ORDERS);
  await page.waitForSelector('text=No execution yet', { timeout: 4_000 });
  expect(await stateOf(page, 'Ship')).toBe('Ship, Task, not visited');
  await empty.stop();
  await page.waitForSelector('.notice:has-text("The server does not answer")', { timeout: 4_000 });
  // The page goes on asking.
  await page.close();
  const complaints = browser.takeComplaints();
  expect(complaints.filter(each => !each.includes('ERR_CONNECTION_REFUSED'))).toEqual([]);
  const cutOff = await browser.open(`${server.address}#arn%3`);
  await cutOff.waitForSelector('.notice:not([hidden])');
  expect(browser.takeComplaints().filter(each => !/status of 4/.test(each))).toEqual([]);
});

test('the whole of a graph is in sight, however long it is', async () => {
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
  expect(await Promise.all([inSight('Broken'), inSight('State 0')])).toEqual([true, true]);
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
    const opening = async () => {
      await page.goto(full.addressOf(long));
      await page.waitForSelector('text=24,308 events');
    };
    expect(await ownMs(page, opening)).toBeLessThan(1_000);
    expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(3_000);
    await page.locator('.navigation select').selectOption({ label: 'orders' });
    await page.waitForSelector('summary:has-text("500 executions")');
    expect(await page.locator('[data-execution]').count()).toBeLessThan(60);
    await searchOf(page, 'executions').fill('order-0');
    await page.waitForSelector('[data-execution="order-0"]');
  });

  test('a page that stays open takes no more memory', async () => {
    const running = full.start('orders', { ...order, seconds: 600 }, 'lasting');
    const page = await browser.open(full.addressOf(running));
    await page.waitForSelector('header .badge.running');
    const session = await page.context().newCDPSession(page);
    /** The least of five: while the page draws, it has its former elements and the new ones, also after a collection. */
    const measured = async () => {
      const all: { nodes: number; bytes: number }[] = [];
      for (let time = 0; time < 5; time++) {
        await session.send('HeapProfiler.collectGarbage');
        const { nodes } = await session.send('Memory.getDOMCounters');
        all.push({ nodes, bytes: (await session.send('Runtime.getHeapUsage')).usedSize });
        await page.waitForTimeout(300);
      }
      const least = (field: 'nodes' | 'bytes') => Math.min(...all.map(each => each[field]));
      return { nodes: least('nodes'), bytes: least('bytes') };
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
