import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { seededRandom, VirtualClock } from 'stepfunctions-emulator';
import { expiryModel } from '../../../expiry/model.ts';
import type { ScanPage } from '../../../functions/backfill-segment/scan-page.ts';
import { backfillSegment, type SegmentOptions } from '../../../functions/backfill-segment/segment.ts';
import type { ScannedItem } from '../../../functions/backfill-segment/stored-window.ts';
import type { WriteOutcome } from '../../../functions/backfill-segment/write-window.ts';
import {
  CALL_SECONDS,
  MAX_CALL_SECONDS,
  MAX_SEGMENT_STEPS,
  type SegmentProgress,
} from '../../../statemachine/backfill-contract.ts';
import { NO_BACKFILL_COUNTS, sumOfItems } from '../../../statemachine/backfill-counts.ts';

const START = Date.parse('2026-11-20T09:00:00Z');
const TTL = START / 1000 + 3600;
const PAGE = 1000;

/** Items 0 to count - 1, all of them without window, in pages. */
function tableOf(count: number): ScanPage {
  return async position => {
    const from = position === null ? 0 : Number((position['id'] as { S: string }).S) + 1;
    const items: ScannedItem[] = Array.from({ length: Math.min(PAGE, count - from) }, (_unused, index) => ({
      id: `${from + index}`,
      ttl: NumberValue.from(`${TTL}`),
    }));
    const upTo = from + items.length;
    return { items, next: upTo < count ? { id: { S: `${upTo - 1}` } } : null };
  };
}

function setUp({ items = 0, ...overrides }: Partial<SegmentOptions> & { items?: number } = {}) {
  const clock = new VirtualClock(START);
  const writes: { readonly id: unknown; readonly at: number }[] = [];
  const random = seededRandom(1);
  const options: SegmentOptions = {
    model: expiryModel({ partitionKey: 'id' }),
    settings: { backoffBaseSeconds: 1, backoffCapSeconds: 20, deleteAttempts: 20 },
    scanPage: tableOf(items),
    writeWindow: async item => {
      writes.push({ id: item['id'], at: clock.now() - START });
      await clock.sleep(5);
      return 'stamped';
    },
    clock: () => clock.now(),
    random: () => random.next(),
    sleep: ms => clock.sleep(ms),
    ...overrides,
  };
  const call = (progress: Partial<SegmentProgress> = {}, retries = 0) =>
    backfillSegment({ progress: { ...BEGUN, ...progress }, retries }, options);
  /** Calls it as the machine does. */
  const run = async (progress: Partial<SegmentProgress> = {}) => {
    let answer = await call(progress);
    for (let calls = 1; answer.next === 'scan' && calls < 100; calls += 1)
      answer = await call(answer.progress);
    return answer;
  };
  return { clock, writes, call, run };
}

const BEGUN: SegmentProgress = {
  segment: 0,
  segments: 1,
  dryRun: false,
  writesPerSecond: 100,
  position: null,
  steps: 0,
  counts: NO_BACKFILL_COUNTS,
};

test.each([0.1, 1, 7, 100, 1000])(
  '%d writes a second are held within a tenth over ten seconds',
  async rate => {
    const { writes, call } = setUp({ items: Math.ceil(rate * 100) });
    await call({ writesPerSecond: rate });
    // At a rate below one a second the span is that of ten writes.
    const spanMs = Math.max(10, 10 / rate) * 1000;
    const last = writes.at(-1)?.at ?? 0;
    for (let from = 0; from + spanMs <= Math.min(last, CALL_SECONDS * 1000); from += spanMs / 2) {
      const within = writes.filter(({ at }) => at >= from && at < from + spanMs).length;
      expect(within / (spanMs / 1000)).toBeLessThanOrEqual(rate * 1.1 + 1e-9);
      if (from > 0) expect(within / (spanMs / 1000)).toBeGreaterThanOrEqual(rate * 0.9 - 1e-9);
    }
    expect(writes.length).toBeGreaterThan(rate * 30);
  },
);

test('further attempts need their turns too, and calls after another do not get past the rate', async () => {
  const { writes, run } = setUp({ items: 700 });
  let busy = 0;
  const flaky = setUp({
    items: 300,
    writeWindow: async () => {
      busy += 1;
      return busy % 3 === 0 ? 'busy' : 'stamped';
    },
  });
  await run({ writesPerSecond: 10 });
  const seconds = new Map<number, number>();
  for (const { at } of writes) {
    const second = Math.floor(at / 1000);
    seconds.set(second, (seconds.get(second) ?? 0) + 1);
  }
  expect(Math.max(...seconds.values())).toBeLessThanOrEqual(11);
  expect(writes).toHaveLength(700);
  const { result } = await flaky.run({ writesPerSecond: 10 });
  expect(result).toMatchObject({ complete: true, counts: { scanned: 300, stamped: 300 } });
  expect(flaky.clock.now() - START).toBeGreaterThanOrEqual(busy * 100);
});

test('reads are spread too: a dry run reads ten items for each write that the rate allows', async () => {
  const { clock, run } = setUp({ items: 5000 });
  const { result } = await run({ writesPerSecond: 10, dryRun: true });
  expect(result).toMatchObject({ complete: true, counts: { scanned: 5000, toStamp: 5000, stamped: 0 } });
  const seconds = (clock.now() - START) / 1000;
  expect(seconds).toBeGreaterThan(45);
  expect(seconds).toBeLessThan(55);
});

test('a call ends in time and says where it is; the next goes on there, and nothing is done twice', async () => {
  const { clock, writes, call, run } = setUp({ items: 2500 });
  const first = await call({ writesPerSecond: 10 });
  expect(first).toMatchObject({ next: 'scan', result: null, progress: { steps: 1 } });
  expect(clock.now() - START).toBeGreaterThanOrEqual(CALL_SECONDS * 1000);
  expect(clock.now() - START).toBeLessThan((CALL_SECONDS + 12) * 1000);
  expect(first.progress.position).toEqual({ id: { S: `${first.progress.counts.scanned - 1}` } });
  const end = await run(first.progress);
  expect(end).toMatchObject({
    next: 'end',
    result: { complete: true, counts: { scanned: 2500, stamped: 2500 } },
  });
  expect(writes.map(({ id }) => Number(id))).toEqual([...Array(2500).keys()]);
});

test('what DynamoDB is too busy for is tried again, as often as is set, and then counts as failed', async () => {
  const tried = new Map<unknown, number>();
  const outcomes: Readonly<Record<string, WriteOutcome>> = { 1: 'busy', 3: 'changedMeanwhile', 4: 'failed' };
  const { call } = setUp({
    items: 6,
    settings: { backoffBaseSeconds: 1, backoffCapSeconds: 1, deleteAttempts: 4 },
    writeWindow: async item => {
      const id = `${item['id']}`;
      tried.set(id, (tried.get(id) ?? 0) + 1);
      if (id === '2' && (tried.get(id) ?? 0) < 3) return 'busy';
      return outcomes[id] ?? 'stamped';
    },
  });
  const { result } = await call();
  expect(result?.counts).toMatchObject({ scanned: 6, stamped: 3, changedMeanwhile: 1, failed: 2 });
  expect(result?.counts && sumOfItems(result.counts)).toBe(6);
  expect(Object.fromEntries(tried)).toEqual({ 0: 1, 1: 4, 2: 3, 3: 1, 4: 1, 5: 1 });
});

test('a call whose writes never get through ends before its function does', async () => {
  const { clock, call } = setUp({
    items: 100,
    settings: { backoffBaseSeconds: 60, backoffCapSeconds: 30, deleteAttempts: 100 },
    writeWindow: async () => 'busy',
  });
  const { progress } = await call();
  expect(progress.counts).toMatchObject({ scanned: 100, failed: 100 });
  expect(clock.now() - START).toBeLessThan(MAX_CALL_SECONDS * 1000 + 5000);
});

test('an error that no retry mends ends the call, and a page that cannot be read too', async () => {
  const denied = Object.assign(new Error('no'), { name: 'AccessDeniedException' });
  const writing = setUp({ items: 1, writeWindow: () => Promise.reject(denied) });
  await expect(writing.call()).rejects.toBe(denied);
  const reading = setUp({ scanPage: () => Promise.reject(denied) });
  await expect(reading.call()).rejects.toBe(denied);
});

test('pages without items lead on, and an empty segment is complete at once', async () => {
  const pages = [
    { items: [], next: { id: { S: 'x' } } },
    { items: [], next: null },
  ];
  const { call } = setUp({ scanPage: async () => pages.shift() ?? { items: [], next: null } });
  expect(await call()).toMatchObject({ next: 'end', result: { complete: true, counts: { scanned: 0 } } });
  expect(pages).toEqual([]);
});

test.each([
  [0, 0, 1],
  [0, 1, 2],
  [10, 5, 14],
])('after %d steps a call with %d retries makes %d', async (steps, retries, expected) => {
  const { call } = setUp({ items: 1 });
  expect((await call({ steps }, retries)).progress.steps).toBe(expected);
});

test('a child whose history is full ends, and says that it is not complete', async () => {
  const { call } = setUp({ items: 5000 });
  const { next, result } = await call({ steps: MAX_SEGMENT_STEPS - 1, writesPerSecond: 1 });
  expect(next).toBe('end');
  expect(result).toMatchObject({ complete: false, interruptedBy: 'HistoryFull' });
});
