import type { FailedKey, ItemKey } from '../../statemachine/contract.ts';
import { ROUND_TARGETS } from '../../statemachine/contract.ts';
import { memoryTable, NOTHING, runSweep } from '../support/run-sweep.ts';

/** Most characters of a cause. Source: Step Functions API reference. Bytes are never fewer. */
const MOST_CAUSE = 32_768;

/** The longest key that DynamoDB takes: 2,048 bytes of partition key and 1,024 of sort key, in UTF-8. */
function longestKey(filling: string, shard: number, index: number): ItemKey {
  const fill = (start: string, bytes: number) =>
    start + filling.repeat(Math.floor((bytes - start.length) / Buffer.byteLength(filling)));
  return { UserName: { S: fill(`${shard}-${index}-`, 2048) }, SessionId: { S: fill('', 1024) } };
}

/** Runs a sweep of `children` shards in which no key can be deleted. */
async function sweepInVain(children: number, keysEach: number, filling: string) {
  const shards = Object.fromEntries(
    Array.from({ length: children }, (_unused, shard) => [
      `w${shard}`,
      Array.from({ length: keysEach }, (_each, index) => longestKey(filling, shard, index)),
    ]),
  );
  const { execution, report } = await runSweep(() =>
    memoryTable(shards, {
      'delete-chunk': async ({ keys }) => ({
        ...NOTHING,
        failed: keys.map(({ key }): FailedKey => ({ key, reason: 'AccessDeniedException' })),
      }),
    }),
  );
  return { execution, report, keys: Object.values(shards).flat() };
}

describe('the longest keys there can be', () => {
  test.each([
    ['ASCII', 'x', 1],
    ['ASCII, many children', 'x', ROUND_TARGETS],
    ['characters of two bytes', 'é', 1],
    ['characters of three bytes', '€', 1],
    ['characters of four bytes', '😀', 1],
    ['characters of four bytes, many children', '😀', ROUND_TARGETS],
    ['quotes, twice as long in JSON', '"', 1],
    ['control characters, six times as long in JSON', '\u0001', 1],
    ['control characters, many children', '\u0001', ROUND_TARGETS],
  ])('are counted, and the first of them listed, when none can be deleted: %s', async (...of) => {
    const [, filling, children] = of;
    const { execution, report, keys } = await sweepInVain(children, children === 1 ? 3 : 1, filling);
    expect(execution).toMatchObject({ status: 'FAILED', error: 'SweepIncompleteError' });
    // No child's counts are lost, which they are when the results of the children get too long together.
    expect(report).toMatchObject({ failed: keys.length, shardsSwept: children, shardsFailed: 0 });
    expect(Buffer.byteLength(execution.cause ?? '')).toBeLessThanOrEqual(MOST_CAUSE);

    expect(report.failedKeys.length).toBeGreaterThan(0);
    const all = keys.map(key => JSON.stringify(key));
    for (const { key, keyStart, reason } of report.failedKeys) {
      expect(reason).toBe('AccessDeniedException');
      if (key !== undefined) expect(all).toContain(JSON.stringify(key));
      else expect(all.map(text => text.slice(0, keyStart?.length))).toContain(keyStart);
    }
    // A child alone, which is what most ticks have, lists it in full.
    if (children === 1) expect(report.failedKeys[0]?.key).toEqual(keys[0]);
  });
});

test('keys of usual length are listed in full by each of the most children there can be', async () => {
  const key = (shard: number) => ({
    UserName: { S: `someone-${shard}@department.example.com` },
    SessionId: { S: 'x'.repeat(36) },
  });
  const shards = Object.fromEntries(
    Array.from({ length: ROUND_TARGETS }, (_unused, shard) => [`w${shard}`, [key(shard)]]),
  );
  const { report } = await runSweep(() =>
    memoryTable(shards, {
      'delete-chunk': async ({ keys }) => ({
        ...NOTHING,
        failed: keys.map(failed => ({ key: failed.key, reason: 'AccessDeniedException' })),
      }),
    }),
  );
  expect(report.failedKeys).toHaveLength(20);
  expect(report.failedKeys.every(({ key: listed }) => listed !== undefined)).toBe(true);
});
