/** @jest-environment ./test/support/dynamodb-environment.ts */

import type { PreciseTtlProps } from '../../config/props.ts';
import { expiryAttributes } from '../../expiry/attributes.ts';
import { useLocalSweep } from '../support/local-sweep.ts';

/*
 * Ten pages of keys in one window, which take as long as a sixth of npm test. That has three pages, and everything else that can be
 * said of a window: test/end-to-end/completeness.slow.test.ts.
 */

const TABLE: PreciseTtlProps = {
  tableName: 'Many',
  partitionKey: 'UserName',
  sortKey: 'SessionId',
  ttlAttribute: 'ExpirationTime',
};
const COUNT = 10_000;

const local = useLocalSweep([TABLE]);

test('one window of 10,000 items is deleted whole, and nothing beside it', async () => {
  const window = Math.floor(Date.now() / 60_000) * 60 - 3600;
  const item = (UserName: string, SessionId: string, expiresAt: number) => {
    const key = { UserName, SessionId };
    return { ...key, payload: 'x'.repeat(50), ...expiryAttributes(local.model('Many'), key, { expiresAt }) };
  };
  const expired = Array.from({ length: COUNT }, (_unused, index) =>
    item(`user-${index % 100}`, `session-${index}`, window + (index % 60)),
  );
  await local.put('Many', [
    item('live', 'before', window - 1),
    item('live', 'after', window + 60),
    ...expired,
  ]);

  const iso = (seconds: number) => new Date(seconds * 1000).toISOString();
  const { execution, report } = await local.sweep('Many', { from: iso(window), to: iso(window + 60) });
  expect(execution.status).toBe('SUCCEEDED');
  expect(report).toMatchObject({ found: COUNT, deleted: COUNT, failed: 0, shardsFailed: 0 });
  expect((await local.scan('Many')).map(({ SessionId }) => SessionId).sort()).toEqual(['after', 'before']);
}, 120_000);
