import { readFileSync } from 'node:fs';
import config from '../../precise-ttl.config.ts';
import { checkConfig, InvalidConfigError } from '../../stacks/config.ts';
import { PROP_NAMES, type PreciseTtlProps, propProblems, resolveProps } from '../../stacks/props.ts';

const table = (overrides: object = {}) => ({
  tableName: 'SessionData',
  partitionKey: 'UserName',
  ...overrides,
});
const configWith = (overrides: object) => ({ region: 'us-east-1', tables: [table(overrides)] });

test('the shipped configuration is good', () => {
  expect(checkConfig(config)).toBe(config);
});

test('a table needs no more than its name and its partition key', () => {
  expect(resolveProps(table())).toEqual({
    tableName: 'SessionData',
    existingTable: false,
    deletionProtection: true,
    pointInTimeRecovery: true,
    partitionKey: 'UserName',
    partitionKeyType: 'S',
    sortKeyType: 'S',
    ttlAttribute: 'ttl',
    windowAttribute: 'expirationWindow',
    indexName: 'expirationWindowIndex',
    name: 'precise-ttl-SessionData',
    granularityMinutes: 1,
    shards: 1,
    deleteMode: 'guarded',
    precisionSeconds: 1,
    pollSeconds: 0,
    lookbackMinutes: 10,
    reconcileHours: 24,
    enabled: true,
    shardConcurrency: 20,
    chunkConcurrency: 10,
    deleteAttempts: 20,
    backoffBaseSeconds: 1,
    backoffCapSeconds: 20,
    logRetentionDays: 30,
    functionMemoryMb: 512,
    metricsNamespace: 'PreciseTtl',
  });
});

test.each([{ shards: 41 }, { shards: 100, reconcileHours: 9 }, { shards: 100, granularityMinutes: 5 }])(
  '%p can be reconciled',
  props => expect(propProblems(table(props))).toEqual([]),
);

test('the lookback reaches back one window at least', () => {
  expect(resolveProps(table({ granularityMinutes: 60 })).lookbackMinutes).toBe(60);
});

describe('fails for', () => {
  test.each<[string, unknown, RegExp]>([
    ['no configuration', undefined, /config: expected an object, got nothing/],
    ['no region', { tables: [table()] }, /region: expected an AWS region/],
    ['a region that is none', { region: 'Ireland', tables: [table()] }, /region: .* got "Ireland"/],
    ['no tables', { region: 'us-east-1', tables: [] }, /tables: expected a list of at least one table/],
    [
      'a misspelt field',
      { region: 'us-east-1', table: [], tables: [table()] },
      /table: .*Did you mean tables\?/,
    ],
    [
      'an unknown state backend',
      { region: 'us-east-1', state: { backend: 'gcs' }, tables: [table()] },
      /state: expected/,
    ],
    [
      'S3 without a bucket',
      { region: 'us-east-1', state: { backend: 's3' }, tables: [table()] },
      /state\.bucket: expected/,
    ],
    [
      'a bucket for the local state',
      { region: 'us-east-1', state: { backend: 'local', bucket: 'b' }, tables: [table()] },
      /state\.bucket: expected one of the fields backend/,
    ],
    [
      'tags that are no texts',
      { region: 'us-east-1', tags: { a: 1 }, tables: [table()] },
      /tags: expected an object of texts/,
    ],
    [
      'two tables of one name',
      { region: 'us-east-1', tables: [table(), table()] },
      /tables\[1\]\.tableName: expected another than that of tables\[0\]/,
    ],
    [
      'a table that is a text',
      { region: 'us-east-1', tables: ['SessionData'] },
      /tables\[0\]: expected an object/,
    ],
    [
      'no table name',
      { region: 'us-east-1', tables: [{ partitionKey: 'a' }] },
      /tables\[0\]\.tableName: expected a value/,
    ],
    [
      'an unknown field',
      configWith({ colour: 'red' }),
      /tables\[0\]\.colour: expected one of the fields .*Remove it\./,
    ],
    [
      'a misspelt prop',
      configWith({ granularityMinuts: 5 }),
      /tables\[0\]\.granularityMinuts: .*Did you mean granularityMinutes\?/,
    ],
    [
      'granularity 0',
      configWith({ granularityMinutes: 0 }),
      /tables\[0\]\.granularityMinutes: expected .* divides a day evenly .* got 0\./,
    ],
    ['granularity 1.5', configWith({ granularityMinutes: 1.5 }), /granularityMinutes: .* got 1\.5\. Use 1:/],
    ['granularity 7', configWith({ granularityMinutes: 7 }), /granularityMinutes: .* got 7\. Use 6:/],
    [
      'shards 0',
      configWith({ shards: 0 }),
      /tables\[0\]\.shards: expected a whole number from 1 to 100, got 0/,
    ],
    ['shards 1.5', configWith({ shards: 1.5 }), /shards: .* got 1\.5/],
    ['shards as a text', configWith({ shards: '2' }), /shards: .* got "2"/],
    ['an empty index name', configWith({ indexName: '' }), /tables\[0\]\.indexName: expected an index name/],
    [
      'an empty TTL attribute',
      configWith({ ttlAttribute: '' }),
      /tables\[0\]\.ttlAttribute: expected .* got ""/,
    ],
    ['an empty window attribute', configWith({ windowAttribute: '' }), /windowAttribute: .* got ""/],
    [
      'a TTL attribute equal to the partition key',
      configWith({ ttlAttribute: 'UserName' }),
      /ttlAttribute: expected another attribute than partitionKey/,
    ],
    [
      'a TTL attribute equal to the sort key',
      configWith({ sortKey: 'at', ttlAttribute: 'at' }),
      /another attribute than sortKey/,
    ],
    [
      'a sort key type without a sort key',
      configWith({ sortKeyType: 'N' }),
      /sortKeyType: expected sortKeyType together/,
    ],
    [
      'a key type that is none',
      configWith({ partitionKeyType: 'BOOL' }),
      /partitionKeyType: expected one of "S", "N", "B"/,
    ],
    [
      'an unknown delete mode',
      configWith({ deleteMode: 'fast' }),
      /deleteMode: expected one of "guarded", "batch", got "fast"/,
    ],
    [
      'a lookback shorter than a window',
      configWith({ granularityMinutes: 60, lookbackMinutes: 30 }),
      /lookbackMinutes: expected at least one window/,
    ],
    [
      'a reconcile shorter than the lookback',
      configWith({ lookbackMinutes: 120, reconcileHours: 1 }),
      /reconcileHours: expected at least the lookback/,
    ],
    [
      'a cap below the base',
      configWith({ backoffBaseSeconds: 20, backoffCapSeconds: 5 }),
      /backoffCapSeconds: expected at least/,
    ],
    [
      'one table twice, under two names',
      { region: 'us-east-1', tables: [table(), table({ name: 'other' })] },
      /tables\[1\]\.tableName: expected another/,
    ],
    [
      'more to reconcile than an execution gets through',
      configWith({ shards: 42 }),
      /shards: expected at most 60000 windows and shards/,
    ],
    [
      'more to look back into than an execution gets through',
      configWith({ shards: 2, lookbackMinutes: 40_000, reconcileHours: 744 }),
      /shards: expected at most 60000/,
    ],
    [
      '41 chunks at once',
      configWith({ chunkConcurrency: 41 }),
      /chunkConcurrency: expected a whole number from 1 to 40/,
    ],
    [
      'a retention CloudWatch does not know',
      configWith({ logRetentionDays: 31 }),
      /logRetentionDays: expected one of 1, 3/,
    ],
    [
      'a table name too long to name things after',
      configWith({ tableName: 'x'.repeat(60) }),
      /tables\[0\]\.name: .*choose a shorter one/,
    ],
    ['enabled as a text', configWith({ enabled: 'false' }), /enabled: expected true or false, got "false"/],
  ])('%s', (_name, wrong, message) => {
    expect(() => checkConfig(wrong)).toThrow(InvalidConfigError);
    expect(() => checkConfig(wrong)).toThrow(message);
  });

  test('several things at once, all of them named', () => {
    try {
      checkConfig({
        region: 'us-east-1',
        tables: [table({ shards: 0, granularityMinutes: 7 }), table({ colour: 1 })],
      });
    } catch (error) {
      expect((error as InvalidConfigError).problems.map(({ field }) => field)).toEqual([
        'tables[0].granularityMinutes',
        'tables[0].shards',
        'tables[1].colour',
      ]);
      return;
    }
    throw new Error('no error');
  });
});

test('every value of a wrong type is a problem, not a crash', () => {
  for (const field of PROP_NAMES) {
    for (const value of [null, {}, [], -1, 1.5, Number.NaN, '', () => 1]) {
      const props = { ...table(), [field]: value } as PreciseTtlProps;
      expect(propProblems(props)).not.toEqual([]);
    }
  }
});

describe('docs/configuration.md', () => {
  const docs = readFileSync('docs/configuration.md', 'utf8');
  test.each(PROP_NAMES)('describes %s', name => {
    expect(docs).toContain(`| \`${name}\` |`);
  });
});
