import { EventReceiver } from '../../bench/events/received.ts';
import type { ExpiryEvent } from '../../expiry/index.ts';

const EXPIRED_AT = '2026-11-22T09:00:30.000Z';
const event = (id: string, key: string): ExpiryEvent => ({
  id,
  table: 'Sessions',
  key: { id: { S: key } },
  expiredAt: EXPIRED_AT,
  deletedAt: '2026-11-22T09:00:31.000Z',
});

test('counts each item once, from its expiry to its first event', () => {
  const receiver = new EventReceiver();
  const at = Date.parse(EXPIRED_AT);
  receiver.receive(event('1', 'a'), at + 400);
  receiver.receive(event('2', 'b'), at + 900);
  receiver.receive(event('1', 'a'), at + 5_000);
  expect(receiver.received()).toEqual({
    items: 2,
    again: 1,
    early: 0,
    lagMs: { p50: 400, p99: 900, max: 900 },
  });
});

test('an event before the expiry, or without one, is early', () => {
  const receiver = new EventReceiver();
  receiver.receive(event('1', 'a'), Date.parse(EXPIRED_AT) - 1);
  receiver.receive({ ...event('2', 'b'), expiredAt: null }, Date.parse(EXPIRED_AT));
  expect(receiver.received().early).toBe(2);
});
