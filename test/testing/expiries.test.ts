/** @jest-environment ./test/support/dynamodb-environment.ts */
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { using, write } from './sessions.ts';

test('a test sees the events of its expiries, and what is archived of them', () =>
  using({ archive: {}, events: { eventBus: 'orders', oldImage: true } }, async local => {
    await write(local, 'first', 200);
    await write(local, 'second', 230);
    await write(local, 'stays', 9_000);
    await write(local, 'deleted', 9_000);
    await local.documents.send(new DeleteCommand({ TableName: 'Sessions', Key: { id: 'deleted' } }));
    expect(await local.events()).toEqual([]);
    await local.advance('4m');
    const seen = await local.events();
    // At the second of the virtual clock at which each was deleted: the next one, since records are judged.
    const expected = [
      ['first', '2026-11-20T09:03:25.000Z'],
      ['second', '2026-11-20T09:03:55.000Z'],
    ].map(([id, time]) => ({
      table: 'Sessions',
      key: { id: { S: id } },
      expiredAt: time,
      deletedAt: new Date(Date.parse(String(time)) + 1000).toISOString(),
    }));
    expect(seen).toMatchObject(expected);
    expect(seen[0]?.oldImage).toMatchObject({ id: { S: 'first' }, note: { S: 'of first' } });
    const archived = await local.archive();
    expect(archived).toMatchObject(expected.map(line => ({ ...line, removal: 'expiry' })));
    expect(archived.map(({ item }) => item['note'])).toEqual([{ S: 'of first' }, { S: 'of second' }]);
  }));
