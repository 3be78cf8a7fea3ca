import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { withPreciseTtl } from 'precise-ttl/testing';
import { expect, test } from 'vitest';
import { INVITATIONS_TABLE, invitationsIn } from './invitations.ts';

const inMinutes = (nowMs: number, minutes: number) => Math.floor(nowMs / 1000) + minutes * 60;

test('an invitation with nothing but a TTL is gone when it expires, and an extended one stays', async () => {
  await withPreciseTtl({ tables: [INVITATIONS_TABLE] }, async local => {
    const invitations = invitationsIn(local.documents);
    const start = local.clock.now();
    await invitations.invite('a1', 'alice', inMinutes(start, 2));
    await invitations.invite('b2', 'bob', inMinutes(start, 2));
    expect(await invitations.guest('a1', start)).toBe('alice');

    await local.advance('1m');
    await invitations.extend('b2', inMinutes(local.clock.now(), 2));
    await local.advance('1m');

    const { Items = [] } = await local.documents.send(
      new ScanCommand({ TableName: INVITATIONS_TABLE.tableName }),
    );
    expect(Items.map(({ code }) => code)).toEqual(['b2']);
    expect(await invitations.guest('b2', local.clock.now())).toBe('bob');

    await local.advance('1m');
    await expect(invitations.extend('b2', inMinutes(local.clock.now(), 10))).rejects.toThrow(
      /conditional request failed/i,
    );
  });
});

test('an expired invitation is not there, also before it is swept; milliseconds are refused', async () => {
  await withPreciseTtl(
    { tables: [INVITATIONS_TABLE] },
    async local => {
      const invitations = invitationsIn(local.documents);
      const ttl = inMinutes(local.clock.now(), 10);
      await invitations.invite('a1', 'alice', ttl);
      expect(await invitations.guest('a1', (ttl - 1) * 1000)).toBe('alice');
      expect(await invitations.guest('a1', ttl * 1000)).toBeUndefined();
      await expect(async () => invitations.invite('b2', 'bob', ttl * 1000)).rejects.toThrow(/ttl/);
    },
    { schedules: false },
  );
});
