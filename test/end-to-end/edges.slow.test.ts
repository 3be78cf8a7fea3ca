/** @jest-environment ./test/support/dynamodb-environment.ts */
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import type { PreciseTtlProps } from '../../config/props.ts';
import { windowKey, windowStart } from '../../expiry/window.ts';
import { type Item, useLocalSweep } from '../support/local-sweep.ts';

const GRANULARITIES = [1, 5, 60];

const table = (granularityMinutes: number): PreciseTtlProps => ({
  tableName: `Every-${granularityMinutes}`,
  partitionKey: 'id',
  index: { granularityMinutes }, // The plain mode: a tick of the past then takes what had expired by its time, and nothing of the span it would own.
  precisionSeconds: 60,
});

const local = useLocalSweep(GRANULARITIES.map(table), { functions: { maxConcurrency: 1 } });

/** An hour on the hour, six to seven hours ago: an edge of every granularity. */
const EDGE = Math.floor(Date.now() / 3_600_000) * 3600 - 6 * 3600;
const iso = (seconds: number) => new Date(seconds * 1000).toISOString();
const tick = (seconds: number) => ({ scheduledTime: iso(seconds).replace('.000', '') });

/** A tick that takes no other one to be at work still: those of these tests follow each other at once, whatever their times. */
async function sweepAlone(tableName: string, seconds: number): Promise<void> {
  const Key = { id: 'deployment', at: 'watermarks' };
  await local.documents.send(new DeleteCommand({ TableName: 'precise-ttl-journal', Key }));
  await local.sweep(tableName, tick(seconds));
}

/** The window that the older way, (start, end], puts a TTL into. */
function olderWindow(ttl: number, granularity: number): string {
  return windowKey(Math.ceil(ttl / granularity) * granularity - granularity, granularity);
}

const STAMPS = {
  '[start, end)': (ttl: number, granularity: number) => windowKey(windowStart(ttl, granularity), granularity),
  '(start, end]': olderWindow,
} as const;

const OFFSETS = [-1, 0, 1];

/** One item a second before, on and after the edge, stamped both ways. */
function items(granularity: number): Item[] {
  return Object.entries(STAMPS).flatMap(([stamp, window]) =>
    OFFSETS.map(offset => ({
      id: `${stamp} ${offset}`,
      ttl: EDGE + offset,
      expirationWindow: window(EDGE + offset, granularity),
    })),
  );
}

describe.each(GRANULARITIES)('windows of %d minutes', minutes => {
  const { tableName } = table(minutes);
  const left = async () => (await local.scan(tableName)).map(({ id }) => id).sort();
  const with_ = (...offsets: number[]) =>
    Object.keys(STAMPS)
      .flatMap(stamp => offsets.map(offset => `${stamp} ${offset}`))
      .sort();

  test('the two ways differ on the edge, and only there', () => {
    for (const offset of OFFSETS) {
      const [ours, older] = Object.values(STAMPS).map(window => window(EDGE + offset, minutes * 60));
      expect(ours === older).toBe(offset !== 0);
    }
  });

  test('ticks delete each item in its time, none early, stamped either way', async () => {
    await local.put(tableName, items(minutes * 60));

    await sweepAlone(tableName, EDGE - 60);
    expect(await left()).toEqual(with_(-1, 0, 1));

    await sweepAlone(tableName, EDGE);
    expect(await left()).toEqual(with_(1));

    await sweepAlone(tableName, EDGE + 60);
    expect(await left()).toEqual([]);
  });

  test('a replay takes its first second and leaves the one after its last', async () => {
    await local.put(tableName, items(minutes * 60));

    await local.sweep(tableName, { from: iso(EDGE - 1), to: iso(EDGE) });
    expect(await left()).toEqual(with_(0, 1));

    await local.sweep(tableName, { from: iso(EDGE), to: iso(EDGE + 1) });
    expect(await left()).toEqual(with_(1));

    await local.sweep(tableName, { from: iso(EDGE), to: iso(EDGE + minutes * 60) });
    expect(await left()).toEqual([]);
  });

  test('what a tick left is swept by a later one within its lookback, and by the scan beyond', async () => {
    await local.put(tableName, items(minutes * 60));

    await sweepAlone(tableName, EDGE + 4 * 3600);
    expect(await left()).toEqual(with_(-1, 0, 1));

    await local.sweep(tableName, { scanIndex: true });
    expect(await left()).toEqual([]);
  });
});
