import type { ItemImage } from '../../../functions/stream/event.ts';
import { itemText } from '../../../lab/archive/item-text.ts';
import { lifeOf } from '../../../lab/archive/life.ts';
import { Oracle, type Rules } from '../../../lab/fuzz/oracle.ts';
import { type Archived, type Published, Services, type StoredCopy } from '../../../lab/fuzz/services.ts';
import type { Change, Who } from '../../../lab/fuzz/table.ts';

const TTL = 1_811_851_200;
const RULES: Rules = {
  keyNames: ['id'],
  ttlAttribute: 'ttl',
  holdAttribute: 'hold',
  graceSeconds: 0,
  findsFractions: true,
  archives: undefined,
  archivesFirst: false,
  publishes: false,
  publishesImages: false,
};

const image = (more: ItemImage = {}): ItemImage => ({ id: { S: 'a' }, ttl: { N: String(TTL) }, ...more });

interface Removed {
  readonly by?: Who;
  /** After the TTL, milliseconds. */
  readonly afterMs?: number;
  /** How far the clock of the server that made the record is ahead, milliseconds. */
  readonly recordAheadMs?: number;
  readonly item?: ItemImage;
}

/** An item that was written, and removed by somebody. */
function oracleOf(
  rules: Partial<Rules>,
  { by = 'sweep', afterMs = 10, recordAheadMs = 0, item = image() }: Removed = {},
): Oracle {
  const oracle = new Oracle({ ...RULES, ...rules });
  const at = TTL * 1000 + afterMs;
  const recordedAt = at + recordAheadMs;
  const changes: Change[] = [
    {
      key: 'a',
      by: 'user',
      at: (TTL - 60) * 1000,
      recordedAt: (TTL - 60) * 1000,
      turn: 1,
      eventId: 'event-1',
      before: undefined,
      after: item,
    },
    { key: 'a', by, at, recordedAt, turn: 9, eventId: 'event-2', before: item, after: undefined },
  ];
  for (const change of changes) oracle.saw(change);
  return oracle;
}

interface Kept {
  readonly archived?: readonly Partial<Archived>[];
  readonly copies?: readonly Partial<StoredCopy>[];
  readonly published?: readonly Partial<Published>[];
}

function servicesWith({ archived = [], copies = [], published = [] }: Kept): Services {
  const services = new Services(() => 0);
  const text = itemText(image());
  services.archived.set(
    'event-2',
    archived.map(line => ({ key: '', text, removal: 'expiry', ...line })),
  );
  services.copies.set(
    lifeOf(image(), ['id'], 'ttl').id,
    copies.map(copy => ({ turn: 5, item: image(), text, ...copy })),
  );
  const expiredAt = new Date(TTL * 1000).toISOString();
  services.published.push(
    ...published.map(event => ({ id: 'event-2', key: { id: { S: 'a' } }, expiredAt, ...event })),
  );
  return services;
}

const found = (oracle: Oracle, kept: Kept = {}) =>
  oracle.verdict((TTL + 600) * 1000, servicesWith(kept)).map(({ finding }) => finding);

describe('finds nothing wrong with', () => {
  test.each<[string, Partial<Rules>, Removed, Kept]>([
    ['a delete in the second of the expiry', {}, { afterMs: 0 }, {}],
    ['a delete by a user at any time', {}, { by: 'user', afterMs: -5_000 }, {}],
    [
      'an archived and published expiry, twice',
      { archives: 'expiries', publishes: true },
      {},
      { archived: [{}, {}], published: [{}, {}] },
    ],
    [
      'a live item that a user deleted in the last two seconds, in the archive',
      { archives: 'expiries' },
      { by: 'user', afterMs: -1_500 },
      { archived: [{}] },
    ],
    [
      "a user's delete of an item that had expired by its record, published and archived",
      { archives: 'expiries', publishes: true },
      { by: 'user', afterMs: -400, recordAheadMs: 450 },
      { archived: [{}], published: [{}] },
    ],
    ['a copy that S3 had before', { archivesFirst: true }, {}, { copies: [{}] }],
    [
      'an attribute added since the copy',
      { archivesFirst: true },
      { item: image({ more: { S: 'x' } }) },
      { copies: [{}] },
    ],
  ])('%s', (_what, rules, removed, kept) => {
    expect(found(oracleOf(rules, removed), kept)).toEqual([]);
  });
});

describe('finds', () => {
  test.each<[string, Partial<Rules>, Removed, Kept, string]>([
    ['a live item deleted', {}, { afterMs: -1 }, {}, 'earlyDeleted'],
    ['an item deleted within its grace', { graceSeconds: 5 }, { afterMs: 4_999 }, {}, 'earlyDeleted'],
    ['an item without TTL deleted', {}, { item: { id: { S: 'a' } } }, {}, 'earlyDeleted'],
    ['an item deleted six years after its expiry', {}, { afterMs: 6 * 365 * 86_400_000 }, {}, 'earlyDeleted'],
    ['a held item deleted', {}, { item: image({ hold: { NULL: true } }) }, {}, 'heldDeleted'],
    ['an expiry that is not archived', { archives: 'expiries' }, {}, {}, 'notArchived'],
    [
      "a user's delete that is not archived",
      { archives: 'all' },
      { by: 'user', afterMs: -9_000 },
      {},
      'notArchived',
    ],
    [
      'another image in the archive',
      { archives: 'expiries' },
      {},
      { archived: [{ text: 'other' }] },
      'archivedOtherwise',
    ],
    [
      "a user's delete archived as an expiry",
      { archives: 'all' },
      { by: 'user', afterMs: -9_000 },
      { archived: [{}] },
      'userDeleteArchived',
    ],
    ['an expiry without an event', { publishes: true }, {}, {}, 'notPublished'],
    [
      "a user's delete published",
      { publishes: true },
      { by: 'user', afterMs: -1 },
      { published: [{}] },
      'userDeletePublished',
    ],
    [
      "a user's delete published that was before the expiry by its record",
      { publishes: true },
      { by: 'user', afterMs: 100, recordAheadMs: -200 },
      { published: [{}] },
      'userDeletePublished',
    ],
    [
      'an event of nothing',
      { publishes: true },
      { by: 'user' },
      { published: [{ id: 'event-7' }] },
      'publishedUnknown',
    ],
    [
      'an event of another time',
      { publishes: true },
      {},
      { published: [{ expiredAt: null }] },
      'publishedOtherwise',
    ],
    [
      'an event of another image',
      { publishes: true, publishesImages: true },
      {},
      { published: [{ oldImage: {} }] },
      'publishedOtherwise',
    ],
    [
      'a copy that came after the delete',
      { archivesFirst: true },
      {},
      { copies: [{ turn: 10 }] },
      'deletedUncopied',
    ],
    [
      'a copy with another value',
      { archivesFirst: true },
      { item: image({ v: { N: '2' } }) },
      { copies: [{ item: image({ v: { N: '1' } }), text: '' }] },
      'deletedUncopied',
    ],
  ])('%s', (_what, rules, removed, kept, finding) => {
    expect(found(oracleOf(rules, removed), kept)).toEqual([finding]);
  });

  test.each<[string, ItemImage, boolean]>([
    ['an expired item that is left', image(), true],
    ['no item that is held', image({ hold: { S: 'x' } }), false],
    ['no live item', image({ ttl: { N: String(TTL + 601) } }), false],
    ['no item that expired five years ago', image({ ttl: { N: String(TTL - 5 * 365 * 86_400) } }), false],
  ])('%s', (_what, item, isLeft) => {
    const oracle = new Oracle(RULES);
    oracle.saw({
      key: 'a',
      by: 'user',
      at: TTL * 1000,
      recordedAt: TTL * 1000,
      turn: 1,
      eventId: 'event-1',
      before: undefined,
      after: item,
    });
    expect(found(oracle)).toEqual(isLeft ? ['left'] : []);
    const span = { from: TTL * 1000, upTo: (TTL + 600) * 1000, reachMs: 0 };
    expect(oracle.leftByTicks(span).map(({ finding }) => finding)).toEqual(isLeft ? ['leftByTicks'] : []);
    expect(oracle.leftByTicks({ ...span, from: TTL * 1000 + 1 })).toEqual([]);
    // It was written later after its expiry than ticks look back.
    expect(oracle.leftByTicks({ ...span, reachMs: -1 })).toEqual([]);
  });
});
