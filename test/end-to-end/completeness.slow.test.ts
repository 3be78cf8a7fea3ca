/** @jest-environment ./test/support/dynamodb-environment.ts */
import { NumberValue } from '@aws-sdk/lib-dynamodb';
import type { PreciseTtlProps } from '../../config/props.ts';
import { expiryAttributes } from '../../expiry/attributes.ts';
import { type Item, useLocalSweep } from '../support/local-sweep.ts';

const MODES = ['guarded', 'batch'] as const;

const table = (tableName: string, props: Partial<PreciseTtlProps> = {}): PreciseTtlProps => ({
  tableName,
  partitionKey: 'UserName',
  sortKey: 'SessionId',
  ttlAttribute: 'ExpirationTime',
  ...props,
});

const local = useLocalSweep(
  MODES.flatMap(deleteMode => [
    table(`Plain-${deleteMode}`, { deleteMode, index: { granularityMinutes: 1 } }),
    table(`Sharded-${deleteMode}`, { deleteMode, index: { granularityMinutes: 1, shards: 8 } }),
    table(`Second-${deleteMode}`, {
      deleteMode,
      index: { by: 'second' },
      ...(deleteMode === 'batch' && {
        partitionKey: { name: 'UserName', type: 'N' as const },
        sortKey: { name: 'SessionId', type: 'B' as const },
      }),
    }),
  ]),
);

/** A minute that is over, an hour ago: everything in its window is expired. */
const WINDOW = Math.floor(Date.now() / 60_000) * 60 - 3600;
const iso = (seconds: number) => new Date(seconds * 1000).toISOString();
const REPLAY = { from: iso(WINDOW), to: iso(WINDOW + 60) };

function item(tableName: string, UserName: string, SessionId: string, expiresAt: number): Item {
  const key = { UserName, SessionId };
  return { ...key, payload: 'x'.repeat(50), ...expiryAttributes(local.model(tableName), key, { expiresAt }) };
}

/** Of everything that is in a table, sorted. */
async function sessionIds(tableName: string): Promise<unknown[]> {
  return (await local.scan(tableName)).map(({ SessionId }) => SessionId).sort();
}

describe.each(MODES)('in %s mode', deleteMode => {
  // Three pages, and two: how a child goes from page to page does not depend on the mode.
  const count = deleteMode === 'guarded' ? 2_100 : 1_100;
  test(`one window of ${count} items is deleted whole, and nothing beside it`, async () => {
    const name = `Plain-${deleteMode}`;
    const live = [
      item(name, 'live', 'before the window', WINDOW - 1),
      item(name, 'live', 'after the window', WINDOW + 60),
      item(name, 'live', 'in an hour', WINDOW + 7200),
      { UserName: 'live', SessionId: 'never expires' },
    ];
    const expired = Array.from({ length: count }, (_unused, index) =>
      item(name, `user-${index % 100}`, `session-${index}`, WINDOW + (index % 60)),
    );
    await local.put(name, [...live, ...expired]);

    const { execution, report } = await local.sweep(name, REPLAY);
    expect(execution.status).toBe('SUCCEEDED');
    expect(report).toMatchObject({ found: count, deleted: count, failed: 0, shardsFailed: 0 });
    expect(await sessionIds(name)).toEqual(live.map(({ SessionId }) => SessionId).sort());
  });

  // Two pages: the second goes on from the last key of the first.
  const ofSecond = 1_100;
  test(`by second, ${ofSecond} items of one second are deleted whole, and nothing beside it`, async () => {
    const name = `Second-${deleteMode}`;
    // More digits than a double has; the pages of a second go on from keys like these.
    const user = (id: number) =>
      deleteMode === 'batch' ? NumberValue.from(`${id}.${'1234567890'.repeat(3)}`) : `user-${id}`;
    const session = (id: string) => (deleteMode === 'batch' ? new TextEncoder().encode(id) : id);
    const bySecond = (id: number, sessionId: string, ttl?: number): Item => ({
      UserName: user(id % 100),
      SessionId: session(sessionId),
      payload: 'x'.repeat(50),
      label: sessionId,
      ...(ttl !== undefined && { ExpirationTime: ttl }),
    });
    const second = WINDOW + 30;
    const live = [
      bySecond(1, 'the second before', second - 1),
      bySecond(1, 'the second after', second + 1),
      bySecond(1, 'in an hour', WINDOW + 7200),
      bySecond(1, 'never expires'),
    ];
    const expired = Array.from({ length: ofSecond }, (_unused, index) =>
      bySecond(index, `session-${index}`, second),
    );
    await local.put(name, [...live, ...expired]);
    const labels = async () => (await local.scan(name)).map(({ label }) => label).sort();
    const span = { from: iso(second), to: iso(second + 1) };

    const rehearsal = await local.sweep(name, { ...span, dryRun: true });
    expect(rehearsal.report).toMatchObject({ dryRun: true, found: ofSecond, deleted: 0, failed: 0 });
    expect(await labels()).toHaveLength(ofSecond + live.length);

    const { execution, report } = await local.sweep(name, span);
    expect(execution.status).toBe('SUCCEEDED');
    expect(report).toMatchObject({ found: ofSecond, deleted: ofSecond, failed: 0, shardsFailed: 0 });
    expect(await labels()).toEqual(live.map(({ label }) => label).sort());
  });

  // DynamoDB takes sort keys of 1,024 bytes at the most; with the partition key these have 1.5 KB.
  // 750 are more than one answer of DynamoDB has room for, and a few hundred more than a state's input has.
  const longKeys = deleteMode === 'guarded' ? 750 : 300;
  test.each(
    // By second they lie under one key of the index.
    deleteMode === 'guarded'
      ? ([
          ['Plain', 7],
          ['Second', 1],
        ] as const)
      : ([['Plain', 7]] as const),
  )(`${longKeys} items with keys of 1.5 KB are deleted whole: %s`, async (way, seconds) => {
    const name = `${way}-${deleteMode}`;
    const expired = Array.from({ length: longKeys }, (_unused, index) =>
      item(
        name,
        `${index % 10}-${'u'.repeat(510)}`,
        `${index}-${'ü'.repeat(509)}`,
        WINDOW + (index % seconds),
      ),
    );
    await local.put(name, [item(name, 'live', 'in an hour', WINDOW + 7200)]);
    const others = await sessionIds(name);
    await local.put(name, expired);

    const { execution, report } = await local.sweep(name, {
      from: REPLAY.from,
      to: iso(WINDOW + seconds),
    });
    expect(execution.status).toBe('SUCCEEDED');
    expect(report).toMatchObject({ found: longKeys, deleted: longKeys, failed: 0 });
    expect(others).toContain('in an hour');
    expect(await sessionIds(name)).toEqual(others);
  });

  test('all shards of a window are swept', async () => {
    const name = `Sharded-${deleteMode}`;
    const expired = Array.from({ length: 200 }, (_unused, index) =>
      item(name, `user-${index}`, 's', WINDOW + 30),
    );
    expect(new Set(expired.map(item => item['expirationWindow'])).size).toBe(8);
    await local.put(name, expired);

    const { report } = await local.sweep(name, REPLAY);
    expect(report).toMatchObject({ found: 200, deleted: 200, shardsSwept: 8 });
    expect(await local.scan(name)).toEqual([]);
  });
});
