import { describePlan } from '../../../cli/adopt/text.ts';
import { configurationBlock } from '../../../cli/init/configuration.ts';
import { checkConfig } from '../../../config/config.ts';
import { planAdoption } from '../../../operate/adopt/plan.ts';
import type { Reading, Wish } from '../../../operate/adopt/reading.ts';
import type { DescribedIndex, DescribedTable } from '../../../operate/table/describe-table.ts';
import type { StoredItem } from '../../../operate/table/sample.ts';

const NOW = 1_795_000_000;

const TABLE: DescribedTable = {
  name: 'Sessions',
  arn: 'arn:aws:dynamodb:us-east-1:123456789012:table/Sessions',
  status: 'ACTIVE',
  partitionKey: { name: 'id', type: 'S' },
  sortKey: undefined,
  attributeTypes: { id: 'S' },
  indexes: [],
  billing: 'on-demand',
  throughput: undefined,
  warmThroughput: undefined,
  settings: { deletionProtection: false, stream: undefined, kmsKeyArn: undefined, tableClass: 'STANDARD' },
  streamArn: undefined,
  itemCount: 0,
  sizeBytes: 0,
  ttl: { status: 'DISABLED', attribute: undefined },
  replicaRegions: [],
  multiRegionConsistency: undefined,
};

const WISH: Wish = {
  ttlAttribute: 'ttl',
  indexedBy: 'second',
  indexName: undefined,
  indexReadUnits: undefined,
  indexWriteUnits: undefined,
};

const INDEX: DescribedIndex = {
  name: 'expirySecondIndex',
  scope: 'global',
  partitionKeys: [{ name: 'ttl', type: 'N' }],
  sortKeys: [],
  projection: 'KEYS_ONLY',
  status: 'ACTIVE',
  backfilling: false,
  itemCount: 0,
  sizeBytes: 0,
  throughput: undefined,
  warmThroughput: undefined,
};

const item = (ttl: number): StoredItem => ({ id: { S: 'a' }, ttl: { N: String(ttl) } });

function reading(
  table: Partial<DescribedTable> = {},
  items: readonly StoredItem[] = [item(NOW + 60)],
  others: Partial<Reading> = {},
): Reading {
  return {
    region: 'us-east-1',
    table: { ...TABLE, ...table },
    sample: { items, complete: true },
    writes: { unknown: 'not asked' },
    now: NOW,
    ...others,
  };
}

const plan = (read: Reading, wish: Partial<Wish> = {}) => planAdoption(read, { ...WISH, ...wish });

/** The text of the refusal. */
function refusal(read: Reading, wish: Partial<Wish> = {}): string {
  try {
    plan(read, wish);
  } catch (error) {
    expect((error as Error).name).toMatch(/^(CannotAdopt|InvalidConfig)Error$/);
    return (error as Error).message;
  }
  throw new Error('it was not refused');
}

describe('what is to be done', () => {
  test('for a table with nothing: the index and native TTL', () => {
    const { index, nativeTtl } = plan(reading());
    expect(index).toEqual({
      name: 'expirySecondIndex',
      action: 'create',
      partitionKeys: [{ name: 'ttl', type: 'N' }],
      sortKeys: [],
      throughput: undefined,
    });
    expect(nativeTtl).toBe('enable');
  });

  test.each([
    ['ACTIVE', false, 'none'],
    ['ACTIVE', true, 'wait'],
    ['CREATING', false, 'wait'],
    ['CREATING', true, 'wait'],
    ['UPDATING', false, 'none'],
  ] as const)(
    'with its index %s, backfilling %p: %s, and native TTL as it is',
    (status, backfilling, action) => {
      const table = {
        status: 'UPDATING',
        attributeTypes: { id: 'S', ttl: 'N' } as const,
        indexes: [{ ...INDEX, status, backfilling }],
        ttl: { status: 'ENABLING', attribute: 'ttl' },
      };
      const { index, nativeTtl } = plan(reading(table));
      expect({ action: index.action, nativeTtl }).toEqual({ action, nativeTtl: 'none' });
    },
  );

  test('an index with these keys is used under whatever name it has, unless a name is asked for', () => {
    const table = { indexes: [{ ...INDEX, name: 'mine' }], attributeTypes: { id: 'S', ttl: 'N' } as const };
    const { index, configuration } = plan(reading(table));
    expect([index.name, index.action, configuration.index?.name]).toEqual(['mine', 'none', 'mine']);
    expect(plan(reading(table), { indexName: 'other' }).index).toMatchObject({
      name: 'other',
      action: 'create',
    });
  });

  test.each([
    [100, {}, [item(NOW), item(NOW)], { readUnits: 25, writeUnits: 100 }],
    [100, {}, [item(NOW), { id: { S: 'b' } }], { readUnits: 25, writeUnits: 50 }],
    [1, {}, [item(NOW), { id: { S: 'b' } }], { readUnits: 25, writeUnits: 1 }],
    [100, {}, [], { readUnits: 25, writeUnits: 100 }],
    [100, { indexedBy: 'window' }, [item(NOW)], { readUnits: 5, writeUnits: 100 }],
    [100, { indexReadUnits: 7, indexWriteUnits: 8 }, [item(NOW)], { readUnits: 7, writeUnits: 8 }],
  ] as const)(
    'of a table with %p write units, asked for %j, the index gets a share',
    (writeUnits, wish, items, expected) => {
      const table = { billing: 'provisioned', throughput: { readUnits: 10, writeUnits } } as const;
      expect(plan(reading(table, items), wish).index.throughput).toEqual(expected);
    },
  );
});

describe('the TTL attribute', () => {
  const native = (status: string) => ({ ttl: { status, attribute: 'expires' } });
  const guess = { ttlAttribute: undefined };

  test.each(['ENABLED', 'ENABLING'])('is that of native TTL while it is %s', status => {
    expect(plan(reading(native(status), []), guess).ttl).toEqual({ attribute: 'expires', from: 'nativeTtl' });
  });

  test('is what the sample has when native TTL is off', () => {
    const items = [{ id: { S: 'a' }, expiresAt: { N: String(NOW) }, createdAt: { N: String(NOW) } }];
    expect(plan(reading({}, items), guess).ttl).toEqual({ attribute: 'expiresAt', from: 'sample' });
  });

  test('fails when the sample has none, and says what to pass', () => {
    expect(refusal(reading({}, [{ id: { S: 'a' } }]), guess)).toMatch(
      /^ttlAttribute: expected the attribute with the moment of expiry, got none: .* none of 1 sampled items .*say which one it is$/,
    );
  });

  test('fails when the sample has two', () => {
    const items = [{ id: { S: 'a' }, expires: { N: String(NOW) }, ttl: { N: String(NOW) } }];
    expect(refusal(reading({}, items), guess)).toContain('the sample has expires and ttl');
  });

  test('is never a key, even when a key looks like it', () => {
    const table = { sortKey: { name: 'expires', type: 'N' } } as const;
    expect(refusal(reading(table, [{ id: { S: 'a' }, expires: { N: String(NOW) } }]), guess)).toContain(
      'got none',
    );
  });

  test('fails when native TTL is on another one', () => {
    expect(refusal(reading(native('ENABLED')))).toMatch(
      /^ttlAttribute: expected expires, which native TTL of Sessions is on \(ENABLED\), got ttl; /,
    );
  });
});

describe('refuses', () => {
  test.each([
    ['partition', { partitionKey: { name: 'ttl', type: 'N' } }],
    ['sort', { sortKey: { name: 'ttl', type: 'N' } }],
  ] as const)('a TTL attribute that is the %s key', (role, table) => {
    expect(refusal(reading(table))).toMatch(
      new RegExp(
        `^attribute ttl: expected one that is no key of Sessions, got its ${role} key; a key can't be removed`,
      ),
    );
  });

  test('a String TTL, and says how many of how many and why', () => {
    const items = [
      item(NOW),
      { id: { S: 'b' }, ttl: { S: '1795000000' } },
      { id: { S: 'c' }, ttl: { NULL: true } },
    ];
    const message = refusal(reading({}, items as StoredItem[]));
    expect(message).toContain('got a String in 1 and another type in 1 of 3 sampled items');
    expect(message).toContain('DynamoDB refuses such writes');
    expect(message).toContain('leaves such items out of the index');
  });

  test('20 global indexes', () => {
    const indexes = Array.from({ length: 20 }, (_, n) => ({
      ...INDEX,
      name: `index-${n}`,
      partitionKeys: [{ name: 'a', type: 'S' } as const],
    }));
    expect(refusal(reading({ indexes }))).toContain(
      'expected at most 19 global indexes, so that one can be added, got 20',
    );
    const [, ...others] = indexes;
    const local = { ...INDEX, name: 'local', scope: 'local' as const, partitionKeys: [TABLE.partitionKey] };
    expect(plan(reading({ indexes: [...others, local] })).index.action).toBe('create');
  });

  test.each(['UPDATING', 'CREATING', 'DELETING', 'ARCHIVED'])('a table that is %s', status => {
    expect(refusal(reading({ status }))).toBe(
      `table Sessions: expected it ACTIVE, got ${status}; run this again when it is ACTIVE`,
    );
  });

  test.each([
    [{ status: 'CREATING' }, 'CREATING'],
    [{ backfilling: true }, 'one that is being backfilled'],
    [{ status: 'DELETING' }, 'DELETING'],
  ])('another index with %j', (state, got) => {
    const other = {
      ...INDEX,
      name: 'byOwner',
      partitionKeys: [{ name: 'owner', type: 'S' } as const],
      ...state,
    };
    expect(refusal(reading({ status: 'UPDATING', indexes: [other] }))).toContain(
      `index byOwner: expected every index of Sessions ACTIVE, got ${got}`,
    );
  });

  test.each<[string, Partial<DescribedIndex>, string]>([
    ['other keys', { partitionKeys: [{ name: 'owner', type: 'S' }] }, 'the partition key owner (S)'],
    ['another projection', { projection: 'ALL' }, 'the projection ALL'],
  ])('an index of that name with %s', (_what, change, got) => {
    const read = reading({
      indexes: [{ ...INDEX, ...change }],
      attributeTypes: { id: 'S', ttl: 'N', owner: 'S' },
    });
    expect(refusal(read)).toMatch(
      /^index expirySecondIndex: expected the partition key ttl \(N\) and KEYS_ONLY, got/,
    );
    expect(refusal(read)).toContain(`with ${got}; an index's keys can't be changed`);
    // The table is accepted with another index name.
    expect(plan(read, { indexName: 'another' }).index.action).toBe('create');
  });

  test.each([
    ['ttl', 'second', 'N', 'S'],
    ['expirationWindow', 'window', 'S', 'N'],
  ] as const)(
    'an attribute %s that another index has with another type',
    (name, indexedBy, expected, defined) => {
      const other = { ...INDEX, name: 'old', partitionKeys: [{ name, type: defined }] };
      const read = reading({ indexes: [other], attributeTypes: { id: 'S', [name]: defined } });
      expect(refusal(read, { indexedBy })).toContain(
        `attribute ${name}: expected the type ${expected}, got ${defined}, with which it is a key of the index old`,
      );
    },
  );

  test.each(['indexReadUnits', 'indexWriteUnits'] as const)('%s for a table on demand', field => {
    expect(refusal(reading(), { [field]: 5 })).toMatch(
      /^index(Read|Write)Units: expected none for Sessions, which is on demand/,
    );
  });

  test('a global table with strong consistency, which has no native TTL', () => {
    const read = reading({ replicaRegions: ['us-east-2'], multiRegionConsistency: 'STRONG' });
    expect(refusal(read)).toContain('(MRSC)');
  });
});

describe('the configuration', () => {
  const cases: readonly (readonly [string, Partial<DescribedTable>, Partial<Wish>, object])[] = [
    ['by second', {}, {}, { partitionKey: 'id', ttlAttribute: 'ttl', index: { by: 'second' } }],
    ['by window', {}, { indexedBy: 'window' }, { partitionKey: 'id', ttlAttribute: 'ttl' }],
    [
      'with a key that the roles must be allowed to use',
      { settings: { ...TABLE.settings, kmsKeyArn: 'arn:aws:kms:us-east-1:123456789012:key/mrk-1234abcd' } },
      {},
      {
        tableKmsKeyArn: 'arn:aws:kms:us-east-1:123456789012:key/mrk-1234abcd',
        partitionKey: 'id',
        ttlAttribute: 'ttl',
        index: { by: 'second' },
      },
    ],
  ];

  test.each(cases)('%s is one that checkConfig takes', (_what, table, wish, expected) => {
    const { configuration } = plan(reading(table, []), wish);
    expect(configuration).toEqual({ tableName: 'Sessions', existingTable: true, ...expected });
    expect(checkConfig({ region: 'us-east-1', tables: [configuration] })).toBeDefined();
    // The printed text must contain the same entry.
    const read: unknown = new Function(`return [${configurationBlock(configuration)}]`)();
    expect(read).toEqual([configuration]);
  });
});

describe('the capacity', () => {
  const sampled = (entries: number, others: number) => [
    ...Array.from({ length: entries }, () => item(NOW)),
    ...Array.from({ length: others }, () => ({ id: { S: 'b' } })),
  ];

  test('for building the index: a write unit for each item that has a TTL', () => {
    const read = reading({ itemCount: 4_000_000 }, sampled(30, 10), {
      sample: { items: sampled(30, 10), complete: false },
    });
    expect(plan(read).units).toMatchObject({ entries: 3_000_000, buildUnits: 3_000_000, deleteUnits: 2 });
  });

  test('by window only what is stamped goes into the index now', () => {
    const stamped = { ...item(NOW), expirationWindow: { S: 'w' } };
    expect(plan(reading({}, [stamped, item(NOW)]), { indexedBy: 'window' }).units.entries).toBe(1);
  });

  test('building with the throughput of a provisioned table takes its time', () => {
    const table = {
      billing: 'provisioned',
      throughput: { readUnits: 5, writeUnits: 10 },
      itemCount: 6000,
    } as const;
    const { units } = plan(
      reading(table, sampled(1, 0), { sample: { items: sampled(1, 0), complete: false } }),
    );
    expect(units).toMatchObject({ buildUnits: 6000, buildSeconds: 600 });
  });
});

describe('the text', () => {
  test('says what is done, what it takes and what native TTL will do', () => {
    const read = reading({}, [item(NOW - 60), item(NOW + 60)]);
    const text = describePlan(read, plan(read), WISH);
    expect(text).toContain('1. Add the index expirySecondIndex with the partition key ttl (N), KEYS_ONLY.');
    expect(text).toContain('From then on it refuses writes whose ttl is not a Number.');
    expect(text).toContain('2. Turn on native TTL for ttl, as the backstop');
    expect(text).toContain('Of the 2 sampled items 1 are expired now.');
    expect(text).toContain('once         about 2 write units');
    expect(text).not.toContain('Note:');
  });

  test.each<[string, Reading, Partial<Wish>, string]>([
    ['by window', reading(), { indexedBy: 'window' }, 'npx precise-ttl backfill --table Sessions'],
    ['fractions', reading({}, [item(NOW + 0.5)]), {}, '1 of the sampled items are not found'],
    ['milliseconds', reading({}, [item(NOW * 1000)]), {}, 'neither native TTL nor the sweep understands'],
  ])('notes %s', (_what, read, wish, note) => {
    expect(describePlan(read, plan(read, wish), { ...WISH, ...wish })).toContain(note);
  });

  test.each([[['eu-west-1']], [['eu-west-1', 'us-east-1']]])(
    'the index of a global table with the replicas %j takes as much in each of two regions',
    replicaRegions => {
      const items = Array.from({ length: 32_000 }, () => item(NOW));
      const read = reading({ replicaRegions }, items);
      expect(describePlan(read, plan(read), WISH)).toContain('about 32,000 write units in each of 2 regions');
    },
  );
});
