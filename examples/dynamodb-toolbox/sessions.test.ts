import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { withPreciseTtl } from 'precise-ttl/testing';
import { expect, test } from 'vitest';
import { SESSIONS_TABLE, sessionsIn } from './sessions.ts';

const PHONE = { user: 'alice', device: 'phone' };
const LAPTOP = { user: 'alice', device: 'laptop' };
const TABLET = { user: 'alice', device: 'tablet' };

test('a session is gone a second after it expires; a renewed one and a permanent one stay', async () => {
  await withPreciseTtl({ tables: [SESSIONS_TABLE] }, async local => {
    const sessions = sessionsIn(local.documents);
    const nowMs = local.clock.now();
    for (const key of [PHONE, LAPTOP, TABLET]) await sessions.signIn(key, 'Oslo', { ttlSeconds: 120, nowMs });
    expect(await sessions.devices('alice', nowMs)).toEqual(['laptop', 'phone', 'tablet']);

    await local.advance('1m');
    await sessions.renew(LAPTOP, { ttlSeconds: 120, nowMs: local.clock.now() });
    await sessions.keep(TABLET);
    await local.advance('1m');

    const { Items = [] } = await local.documents.send(
      new ScanCommand({ TableName: SESSIONS_TABLE.tableName }),
    );
    expect(Items.map(({ device }) => device).sort()).toEqual(['laptop', 'tablet']);
    expect(await sessions.devices('alice', local.clock.now())).toEqual(['laptop', 'tablet']);

    await local.advance('1m');
    await expect(sessions.renew(LAPTOP, { ttlSeconds: 120, nowMs: local.clock.now() })).rejects.toThrow(
      /conditional request failed/i,
    );
    expect(await sessions.devices('alice', local.clock.now())).toEqual(['tablet']);
  });
});

test('an expired session is not there, also before it is swept', async () => {
  await withPreciseTtl(
    { tables: [SESSIONS_TABLE] },
    async local => {
      const sessions = sessionsIn(local.documents);
      await sessions.signIn(PHONE, 'Oslo', { ttlSeconds: 600, nowMs: local.clock.now() });
      await local.advance('599s');
      expect(await sessions.devices('alice', local.clock.now())).toEqual(['phone']);
      expect(await sessions.place(PHONE, local.clock.now())).toBe('Oslo');
      await local.advance('1s');
      expect(await sessions.devices('alice', local.clock.now())).toEqual([]);
      expect(await sessions.place(PHONE, local.clock.now())).toBeUndefined();
    },
    { schedules: false },
  );
});
