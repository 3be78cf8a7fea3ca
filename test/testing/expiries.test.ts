/** @jest-environment ./test/support/dynamodb-environment.ts */
import { using, write } from './sessions.ts';

test('without events and an archive there are no expiries', () =>
  using({}, async local => {
    await write(local, 'first', 200);
    await local.advance('4m');
    expect(await local.expiries()).toEqual([]);
  }));
