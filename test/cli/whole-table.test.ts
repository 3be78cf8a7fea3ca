import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  inParallel,
  type Pace,
  Rate,
  type ScanProgress,
  scanLine,
  scanTable,
  sizeOf,
  sparingRate,
} from '../../cli/whole-table.ts';
import { awsError, fakeClient } from '../support/fake-client.ts';

/** A clock on which only sleeps take time. */
function fastPace(): Pace & { readonly slept: number[] } {
  let time = 0;
  const slept: number[] = [];
  return {
    slept,
    now: () => time,
    async sleep(ms, signal) {
      signal.throwIfAborted();
      slept.push(ms);
      time += ms;
    },
  };
}

const NEVER = new AbortController().signal;
const SIZE = { name: 'T', itemCount: 4_000, sizeBytes: 4_000 * 1_024, readUnits: undefined };

/** A table of 4,000 items of a kilobyte in four segments. */
const tableOf = (before: () => void = () => undefined) =>
  fakeClient(DynamoDBClient, {
    Scan({ Segment, Limit, ExclusiveStartKey: from }) {
      before();
      const start = Number(from?.id.N ?? 0);
      const end = Math.min(1_000, start + Limit);
      const Items = Array.from({ length: end - start }, (_unused, at) => ({
        id: { N: `${Segment}-${start + at}` },
      }));
      const ConsumedCapacity = { CapacityUnits: (end - start) / 8 };
      return { Items, ConsumedCapacity, ...(end < 1_000 && { LastEvaluatedKey: { id: { N: `${end}` } } }) };
    },
  });

test('a scan reads each item once, and in the time that its rate allows', async () => {
  const pace = fastPace();
  const seen = new Set<string>();
  const progress: ScanProgress[] = [];
  const read = await scanTable(tableOf(), SIZE, {
    ...{ unitsPerSecond: 50, signal: NEVER, pace },
    onPage: items => items.forEach(({ id }) => void seen.add(`${id?.N}`)),
    onProgress: at => void progress.push({ ...at }),
  });
  expect([read, seen.size]).toEqual([{ items: 4_000, readUnits: 500, throttled: 0 }, 4_000]);
  expect(progress.at(-1)).toEqual(read);
  expect(pace.now()).toBeGreaterThan(8_000);
  expect(pace.now()).toBeLessThan(10_500);
});

test('a throttled page is read again after a growing wait, and not forever', async () => {
  let calls = 0;
  const pace = fastPace();
  const often = tableOf(() => {
    calls += 1;
    if (calls % 2 === 0) throw awsError('ProvisionedThroughputExceededException');
  });
  const options = { unitsPerSecond: 5_000, signal: NEVER, pace, onPage: () => undefined };
  expect(await scanTable(often, SIZE, options)).toMatchObject({
    items: 4_000,
    throttled: expect.any(Number),
  });
  const always = tableOf(() => {
    throw awsError('ThrottlingException');
  });
  await expect(scanTable(always, SIZE, options)).rejects.toMatchObject({ name: 'ThrottlingException' });
  expect(Math.max(...pace.slept)).toBe(30_000);
});

test('the rate holds for all callers together, and corrects itself', async () => {
  const pace = fastPace();
  const rate = new Rate(10, pace);
  await rate.take(10, NEVER);
  expect(pace.slept).toEqual([]);
  await rate.take(5, NEVER);
  rate.correct(5, 15);
  await rate.take(1, NEVER);
  expect(pace.slept).toEqual([1_000, 1_500]);
});

test('work in parallel ends with the first error, and quietly with the signal', async () => {
  const begun: number[] = [];
  const fails = inParallel(
    [1, 2, 3, 4],
    2,
    async each => {
      begun.push(each);
      if (each === 2) throw new Error('two');
      await new Promise(resolve => setImmediate(resolve));
    },
    NEVER,
  );
  await expect(fails).rejects.toThrow('two');
  expect(begun).toEqual([1, 2]);
  const stop = new AbortController();
  const stopped: number[] = [];
  await inParallel(
    [1, 2, 3],
    1,
    async each => {
      stopped.push(each);
      stop.abort();
    },
    stop.signal,
  );
  expect(stopped).toEqual([1]);
});

test.each([
  [{ BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' as const } }, 500],
  [{ ProvisionedThroughput: { ReadCapacityUnits: 100 } }, 25],
  [{ ProvisionedThroughput: { ReadCapacityUnits: 1 } }, 1],
])('a table of %j is read at %d units a second', (table, rate) => {
  expect(sparingRate(sizeOf(table))).toBe(rate);
});

test('the line says how far it is and how long still', () => {
  const line = scanLine(SIZE, { items: 1_000, throttled: 2 }, 10_000, '5 written');
  expect(line).toBe('25 %  1,000 of about 4,000 items read  5 written  about 30 s left  throttled 2 times');
  expect(scanLine(SIZE, { items: 5_000, throttled: 0 }, 10_000)).toBe(
    '100 %  5,000 of about 5,000 items read',
  );
});
