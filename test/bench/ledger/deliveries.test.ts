import { Deliveries, type Delivery } from '../../../bench/ledger/deliveries.ts';
import { Ledger } from '../../../bench/ledger/ledger.ts';

const TTL = 1_800_000_000;
const at = (seconds: number) => (TTL + seconds) * 1000;
const iso = (seconds: number) => new Date(at(seconds)).toISOString();
const KEY = { id: { S: 'a' } };
const IMAGE = { ...KEY, ttl: { N: String(TTL) }, n: { N: '1.50' } };

/** An item with one write, and one deletion that was seen `after` its TTL, seconds. */
function seen({ after = 1, byApplication = false, madeAt = undefined as number | undefined } = {}): Ledger {
  const ledger = new Ledger(() => at(-60));
  ledger.wrote('a', 1, TTL);
  if (byApplication) ledger.deleted('a');
  const made = madeAt !== undefined && { madeAt: at(madeAt) };
  const record = { id: 'event-1', key: KEY, image: IMAGE, ...made };
  ledger.removed('a', 1, { ttl: TTL, seenAt: at(after), record });
  return ledger;
}

const EVENT: Delivery = { id: 'event-1', key: KEY, expiredAt: iso(0), deletedAt: iso(1), oldImage: IMAGE };
const WITHOUT = { ...EVENT, oldImage: undefined };

test.each<[string, Ledger, Partial<Delivery>[], string[], boolean?]>([
  ['nothing', seen(), [], ['notDelivered']],
  ['nothing of an item that was deleted too early', seen({ after: -1 }), [], ['notDelivered']],
  ["nothing of the application's deletion", seen({ after: -1, byApplication: true }), [], []],
  ['an expired item', seen(), [{}], []],
  ['one that was delivered twice', seen(), [{}, {}], []],
  ['an event without its image', seen(), [WITHOUT], [], false],
  ['an event without its image, where it has to have it', seen(), [WITHOUT], ['deliveredOtherwise']],
  ['an event with an image, where it must have none', seen(), [{}], ['deliveredOtherwise'], false],
  ['another image', seen(), [{}, { oldImage: { ...IMAGE, n: { N: '1.6' } } }], ['deliveredOtherwise']],
  ['another key', seen(), [{ key: { id: { S: 'b' } } }], ['deliveredOtherwise']],
  ['another time of expiry', seen(), [{ expiredAt: iso(1) }], ['deliveredOtherwise']],
  ["another time than the record's", seen({ madeAt: 2 }), [{}], ['deliveredOtherwise']],
  ['its own time', seen({ madeAt: 1.9 }), [{}], []],
  ['a live item', seen({ after: -3 }), [{ deletedAt: iso(-3) }], ['deliveredWrongly']],
  ['a record that nobody saw', seen(), [{}, { id: 'event-2' }], ['deliveredWrongly']],
  ["the application's early deletion", seen({ after: -1, byApplication: true }), [{}], ['deliveredWrongly']],
  [
    "the application's deletion before its expiry by the server that made the record",
    seen({ after: 0, byApplication: true, madeAt: -1 }),
    [{ deletedAt: iso(-1) }],
    ['deliveredWrongly'],
  ],
  ["the application's deletion after the expiry", seen({ after: 0, byApplication: true }), [{}], []],
])('%s', (_name, ledger, events, findings, oldImage = true) => {
  const deliveries = new Deliveries([{ name: 'pipe', target: 'queue', oldImage }]);
  for (const event of events) deliveries.delivered('pipe', { ...EVENT, ...event });
  const violations = deliveries.violations(ledger);
  expect(violations.map(({ finding }) => finding)).toEqual(findings);
  expect(deliveries.counts).toEqual([events.length]);
});
