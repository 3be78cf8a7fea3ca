import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { inParallel, type Pace, Rate, scanLine, scanTable, sizeOf } from '../../cli/whole-table.ts';
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
const SIZE = sizeOf({ TableName: 'T', ItemCount: 4_000, TableSizeBytes: 4_000 * 1_024 });

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
  const progress: string[] = [];
  const read = await scanTable(tableOf(), SIZE, {
    ...{ rate: new Rate(50, pace), signal: NEVER },
    onPage: items => items.forEach(({ id }) => void seen.add(`${id?.N}`)),
    show: line => void progress.push(line),
    work: () => ({ done: '5 written', busy: 2 }),
  });
  expect([read, seen.size, progress.at(-1)]).toEqual([
    4_000,
    4_000,
    expect.stringMatching(/^100 % {2}4,000 of about 4,000 items read {2}5 written .*tried again 2 times/),
  ]);
  expect(pace.now()).toBeGreaterThan(8_000);
  expect(pace.now()).toBeLessThan(10_500);
});

test('a throttled page is read again after a growing wait, and not forever', async () => {
  let calls = 0;
  const often = tableOf(() => {
    calls += 1;
    if (calls % 2 === 0) throw awsError('ProvisionedThroughputExceededException');
  });
  const rate = new Rate(50, fastPace());
  const options = { rate, signal: NEVER, onPage: () => undefined };
  expect(await scanTable(often, SIZE, options)).toBe(4_000);
  expect(rate.busy).toBeGreaterThan(3);
  const pace = fastPace();
  const longest = jest.spyOn(Math, 'random').mockReturnValue(1);
  const always = tableOf(() => {
    if (pace.slept.length > 100) throw new Error('it goes on');
    throw awsError('ThrottlingException');
  });
  const endless = scanTable(always, SIZE, { ...options, rate: new Rate(5_000, pace) });
  await expect(endless).rejects.toMatchObject({ name: 'ThrottlingException' });
  expect([...new Set(pace.slept)]).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000]);
  longest.mockRestore();
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
  const stop = new AbortController();
  const stopping = async (each: number) => {
    begun.push(each);
    stop.abort();
  };
  await inParallel([5, 6], 1, stopping, stop.signal);
  expect(begun).toEqual([1, 2, 5]);
});

test.each([
  [{ BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' as const } }, 500],
  [{ ProvisionedThroughput: { ReadCapacityUnits: 100 } }, 25],
  [{ ProvisionedThroughput: { ReadCapacityUnits: 1 } }, 1],
])('a table of %j is read at %d units a second', (table, rate) => {
  expect(sizeOf(table).sparingRate).toBe(rate);
});

test('the line says how far it is and how long still', () => {
  expect(scanLine(4_000, 1_000, 10_000, 2, '5 written')).toBe(
    '25 %  1,000 of about 4,000 items read  5 written  about 30 s left  tried again 2 times, DynamoDB was busy',
  );
  expect(scanLine(4_000, 5_000, 10_000, 0)).toBe('100 %  5,000 of about 5,000 items read');
});
