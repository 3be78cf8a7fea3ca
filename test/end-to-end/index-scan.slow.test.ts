/** @jest-environment ./test/support/dynamodb-environment.ts */
import { windowKey, windowStart } from '../../expiry/window.ts';
import { useLocalSweep } from '../support/local-sweep.ts';

const NOW = Math.floor(Date.now() / 1000);
const YEAR = 365 * 86_400;
const LONG_AGO = NOW - 2 * YEAR;
const HOUR = 3600;

const local = useLocalSweep([
  { tableName: 'BySecond', partitionKey: 'id', index: { by: 'second' } },
  {
    tableName: 'ByWindow',
    partitionKey: 'id',
    index: { granularityMinutes: 60, shards: 1 },
    deleteMode: 'batch',
  },
]);

const windowOf = (ttl: number, shard = 0) => windowKey(windowStart(ttl, HOUR), HOUR, shard);

test('by second a scan of the index deletes what is overdue by years, with fractions, and names the rest', async () => {
  await local.put('BySecond', [
    ...Array.from({ length: 1_200 }, (_unused, index) => ({ id: `overdue-${index}`, ttl: LONG_AGO + index })),
    ...Array.from({ length: 30 }, (_unused, index) => ({
      id: `fraction-${index}`,
      ttl: LONG_AGO + index + 0.5,
    })),
    { id: 'live', ttl: NOW + HOUR },
    { id: 'live with a fraction', ttl: NOW + HOUR + 0.5 },
    { id: 'milliseconds', ttl: NOW * 1000 },
  ]);
  const dry = await local.sweep('BySecond', { scanIndex: true, dryRun: true });
  expect(dry.report).toMatchObject({
    dryRun: true,
    scanned: 1_233,
    found: 1_230,
    fractional: 31,
    outOfRange: 1,
  });
  expect(await local.scan('BySecond')).toHaveLength(1_233);

  const { execution, report } = await local.sweep('BySecond', { scanIndex: true });
  expect(execution.status).toBe('SUCCEEDED');
  expect(report).toMatchObject({
    scanned: 1_233,
    found: 1_230,
    deleted: 1_230,
    fractional: 31,
    outOfRange: 1,
  });
  expect(report.named?.map(({ is }) => is)).toEqual(
    expect.arrayContaining(['overdue', 'fractional', 'milliseconds']),
  );
  const left = (await local.scan('BySecond')).map(({ id }) => id);
  expect(left.sort()).toEqual(['live', 'live with a fraction', 'milliseconds']);
});

test('by window it deletes what lies where no sweep looks, each checked again, also without a guard else', async () => {
  await local.put('ByWindow', [
    { id: 'overdue', ttl: LONG_AGO, expirationWindow: windowOf(LONG_AGO) },
    { id: 'in a shard too many', ttl: LONG_AGO, expirationWindow: windowOf(LONG_AGO, 3) },
    { id: 'by the minute', ttl: LONG_AGO, expirationWindow: windowKey(windowStart(LONG_AGO, 60), 60) },
    { id: 'live', ttl: NOW + HOUR, expirationWindow: windowOf(NOW + HOUR) },
  ]);
  const { execution, report } = await local.sweep('ByWindow', { scanIndex: true });
  expect(execution.status).toBe('SUCCEEDED');
  expect(report).toMatchObject({ scanned: 4, found: 3, deleted: 3, misfiled: 2 });
  expect((await local.scan('ByWindow')).map(({ id }) => id)).toEqual(['live']);
});
