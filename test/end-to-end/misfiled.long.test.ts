/** @jest-environment ./test/support/dynamodb-environment.ts */
import { expiryAttributes } from '../../expiry/attributes.ts';
import { type ExpiryModelProps, expiryModel } from '../../expiry/model.ts';
import { isTurnToSeek } from '../../functions/plan-sweep/misfiled.ts';
import { type Item, useLocalSweep } from '../support/local-sweep.ts';

const NOW = Math.floor(Date.now() / 1000);
/** A table whose turn it is to be searched for what is misfiled. */
const SESSIONS =
  [...'ABCDEFGHIJKLMNOPQRSTUVWX'].map(letter => `Sessions-${letter}`).find(name => isTurnToSeek(name, NOW)) ??
  'none';

const lines: string[] = [];
const local = useLocalSweep(
  [{ tableName: SESSIONS, partitionKey: 'id', granularityMinutes: 60, shards: 1 }],
  {
    functions: { onLog: (_functionName, line) => lines.push(line) },
  },
);

/** What a writer with these settings puts, a minute after it has expired. */
function stamped(id: string, settings: Partial<ExpiryModelProps>): Item {
  const model = expiryModel({ partitionKey: 'id', granularityMinutes: 60, shards: 1, ...settings });
  return { id, ...expiryAttributes(model, { id }, { expiresAt: NOW - 60 }) };
}

test('the hourly reconcile tells of writers with other settings, and leaves their items', async () => {
  // With two shards these ids are in shard 1.
  const inSecondShard = ['a', 'b'].map(id => stamped(id, { shards: 2 }));
  expect(inSecondShard.map(item => String(item['expirationWindow']).slice(-2))).toEqual(['#1', '#1']);
  const misfiled = [...inSecondShard, stamped('by the minute', { granularityMinutes: 1 })];
  await local.put(SESSIONS, [...misfiled, stamped('agrees', {})]);

  const scheduledTime = new Date(NOW * 1000).toISOString();
  const { execution, report } = await local.sweep(SESSIONS, { scheduledTime, lookbackMinutes: 1440 });
  expect(execution.status).toBe('SUCCEEDED');
  expect(report).toMatchObject({ found: 1, deleted: 1, misfiled: 3 });
  expect((await local.scan(SESSIONS)).map(({ id }) => id).sort()).toEqual(['a', 'b', 'by the minute']);

  const logged = lines.map(line => JSON.parse(line));
  expect(logged.filter(({ level }) => level === 'WARN')).toEqual([
    expect.objectContaining({ message: 'misfiled', shard: 1, granularityMinutes: 60, found: 2 }),
    expect.objectContaining({ message: 'misfiled', shard: 0, granularityMinutes: 1, found: 1 }),
  ]);
  expect(logged.filter(line => '_aws' in line).map(line => line['ItemsMisfiled'])).toEqual([3]);

  // With nothing to delete it still tells.
  const again = await local.sweep(SESSIONS, { scheduledTime, lookbackMinutes: 60 });
  expect(again.report).toMatchObject({ found: 0, misfiled: 3 });
  const metrics = lines.map(line => JSON.parse(line)).filter(line => '_aws' in line);
  expect(metrics.map(line => line['ItemsMisfiled'])).toEqual([3, 3]);

  // A tick does not look.
  const tick = await local.sweep(SESSIONS, { scheduledTime });
  expect(tick.report).toMatchObject({ found: 0, misfiled: 0 });
});
