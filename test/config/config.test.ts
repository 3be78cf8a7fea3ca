// biome-ignore-all lint/suspicious/noTemplateCurlyInString: texts that look like Terraform's templates
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { checkConfig, type DeploymentConfig, InvalidConfigError } from '../../config/config.ts';
import { propProblems } from '../../config/prop-problems.ts';
import { type PreciseTtlProps, propsOfSettings, resolveProps, WRITTEN_NAMES } from '../../config/props.ts';
import config from '../../precise-ttl.config.ts';

const table = (overrides: object = {}) => ({
  tableName: 'SessionData',
  partitionKey: 'UserName',
  ...overrides,
});
const configWith = (overrides: object) => ({ region: 'us-east-1', tables: [table(overrides)] });

const tagged = (tags: unknown, message: RegExp): [string, unknown, RegExp][] => [
  [
    `the tags ${JSON.stringify(tags).slice(0, 40)}`,
    { region: 'us-east-1', tags, tables: [table()] },
    message,
  ],
];

test('the shipped configuration is good', () => {
  expect(checkConfig(config)).toEqual(config);
});

test('a table needs no more than its name and its partition key', () => {
  expect(resolveProps(table())).not.toHaveProperty('sortKey');
  expect(resolveProps(table())).toMatchObject({
    tableName: 'SessionData',
    existingTable: false,
    partitionKey: 'UserName',
    partitionKeyType: 'S',
    sortKeyType: 'S',
    ttlAttribute: 'ttl',
    indexedBy: 'window',
    windowAttribute: 'expirationWindow',
    indexName: 'expirationWindowIndex',
    name: 'precise-ttl-SessionData',
    granularityMinutes: 1440,
    shards: 2,
    deleteMode: 'guarded',
    precision: 'second',
    pollSeconds: 0,
  });
});

test.each([
  { maxDeletesPerSecond: 1000 },
  { maxDeletesPerSecond: 5000, index: { shards: 5 } },
  // What is left lies under many seconds.
  { maxDeletesPerSecond: 5000, index: { by: 'second' as const } },
])('%p can be', props => expect(propProblems(table(props))).toEqual([]));

test('by second the index has another name', () => {
  expect(resolveProps(table({ indexedBy: 'second' }))).toMatchObject({
    indexName: 'expirySecondIndex',
  });
});

test.each([
  { index: { by: 'second' } },
  { index: { by: 'second' }, pollSeconds: 0 },
  { index: { by: 'second' }, pollSeconds: 5 },
  { index: { by: 'second' }, precision: 'minute' },
  { index: { shards: 1000, granularityMinutes: 1 } },
] as const)('%p is taken', props => expect(propProblems(table(props))).toEqual([]));

describe('fails for', () => {
  test.each<[string, unknown, RegExp]>([
    ['no configuration', undefined, /config: expected an object, got nothing/],
    ['no region', { tables: [table()] }, /region: expected an AWS region/],
    [
      'what has not the form of a region',
      { region: 'us_east_1', tables: [table()] },
      /region: expected an AWS region.* got "us_east_1"/,
    ],
    [
      'a region of the state that is null',
      { region: 'us-east-1', state: { backend: 's3', bucket: 'my-state', region: null }, tables: [table()] },
      /state\.region: .* got null/,
    ],
    [
      'a key of the state that Terraform would read as an expression',
      { region: 'us-east-1', state: { backend: 's3', bucket: 'my-state', key: 'a/${b}' }, tables: [table()] },
      /state\.key: expected an object key/,
    ],
    ['a region that is none', { region: 'Ireland', tables: [table()] }, /region: .* got "Ireland"/],
    ['no tables', { region: 'us-east-1', tables: [] }, /tables: expected a list of at least one table/],
    [
      'a misspelt field',
      { region: 'us-east-1', table: [], tables: [table()] },
      /table: .*Did you mean tables\?/,
    ],
    [
      'a state backend that cannot be one',
      { region: 'us-east-1', state: { backend: 'S3', bucket: 'my-state' }, tables: [table()] },
      /state: expected .*, got \{"backend":"S3"/,
    ],
    [
      'a setting of the state that Terraform cannot read',
      { region: 'us-east-1', state: { backend: 'gcs', bucket: 'my-state', prefix: null }, tables: [table()] },
      /state\.prefix: expected a text, a number, .* got null/,
    ],
    [
      'a setting of the state in a bucket that Terraform cannot read',
      {
        region: 'us-east-1',
        state: { backend: 's3', bucket: 'my-state', assume_role: { role_arn: undefined } },
        tables: [table()],
      },
      /state\.assume_role: expected a text, a number/,
    ],
    [
      'a role to deploy with that is none',
      { region: 'us-east-1', provider: { assumeRole: { roleArn: 'deployer' } }, tables: [table()] },
      /provider\.assumeRole\.roleArn: expected the ARN of a role/,
    ],
    [
      'a role to deploy with that is not named',
      { region: 'us-east-1', provider: { assumeRole: { sessionName: 'ci' } }, tables: [table()] },
      /provider\.assumeRole\.roleArn: expected the ARN of a role, .* got nothing/,
    ],
    [
      'an account that has lost its zeros',
      { region: 'us-east-1', provider: { allowedAccountIds: [12345678901] }, tables: [table()] },
      /provider\.allowedAccountIds: expected a list of 1 to 100, each the id of an account in quotes/,
    ],
    [
      'a misspelt field of the provider',
      { region: 'us-east-1', provider: { profil: 'prod' }, tables: [table()] },
      /provider\.profil: .*Did you mean profile\?/,
    ],
    [
      'overrides that are no arguments',
      { region: 'us-east-1', overrides: { aws_lambda_function: 50 }, tables: [table()] },
      /overrides: expected \{ aws_lambda_function/,
    ],
    // CDKTF takes a dot for the way to an argument within another.
    ...[
      'lifecycle',
      'for_each',
      'name',
      'function_name',
      'lifecycle.prevent_destroy',
      'environment.0.name',
    ].map((argument): [string, unknown, RegExp] => [
      `an override of ${argument}`,
      { region: 'us-east-1', overrides: { aws_lambda_function: { [argument]: {} } }, tables: [table()] },
      new RegExp(
        `overrides\\.aws_lambda_function\\.${argument}: expected an argument that is neither a name`,
      ),
    ]),
    [
      'an override that is no value of Terraform',
      { region: 'us-east-1', overrides: { aws_lambda_function: { layers: [undefined] } }, tables: [table()] },
      /overrides\.aws_lambda_function\.layers: expected a text/,
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
      'tags in a list',
      { region: 'us-east-1', tags: ['a'], tables: [table()] },
      /tags: expected an object of/,
    ],
    ...tagged({ a: 1 }, /tags\["a"\]: expected a text of 1 to 256 letters.* got 1\./),
    ...tagged(
      { 'aws:team': 'a' },
      /tags\["aws:team"\], its key: expected a text that does not begin with aws:/,
    ),
    ...tagged(
      { team: 'AWS:a' },
      /tags\["team"\]: expected a text that does not begin with aws:, got "AWS:a"/,
    ),
    ...tagged({ 'a*': 'b' }, /tags\["a\*"\], its key: expected a text of 1 to 128 letters/),
    ...tagged({ a: '*' }, /tags\["a"\]: expected a text of 1 to 256 letters/),
    ...tagged({ a: '' }, /tags\["a"\]: .* got ""/),
    ...tagged({ a: 'x'.repeat(257) }, /tags\["a"\]: expected a text of 1 to 256/),
    ...tagged({ ['x'.repeat(129)]: 'a' }, /its key: expected a text of 1 to 128/),
    ...tagged({ a: '${b}' }, /tags\["a"\]: /),
    ...tagged({ a: '%{if}' }, /tags\["a"\]: /),
    ...tagged({ a: 'one\ntwo' }, /tags\["a"\]: /),
    ...tagged({ a: '"' }, /tags\["a"\]: /),
    ...tagged({ Team: 'a', team: 'b' }, /tags\["team"\]: expected a key that differs from "Team" by more/),
    ...tagged(
      Object.fromEntries(Array.from({ length: 51 }, (_unused, index) => [`key${index}`, 'a'])),
      /tags: expected at most 50 tags, got 51/,
    ),
    [
      'a table that is not there',
      // biome-ignore lint/suspicious/noSparseArray: what a comma too much makes
      { region: 'us-east-1', tables: [, table()] },
      /tables\[0\]: expected an object, got nothing/,
    ],
    [
      'two tables of a deployment that want it in two ways',
      {
        region: 'us-east-1',
        dashboard: true,
        tables: [
          { tableName: 'Orders', partitionKey: 'id' },
          { tableName: 'Tokens', partitionKey: 'id', dashboard: false },
        ],
      },
      /tables\[1\]\.dashboard: expected true, as tables\[0\] \(Orders\) has it: a deployment has one dashboard, got false\. Set dashboard once, beside tables; or put Tokens into a configuration of its own/,
    ],
    [
      'a prop beside the tables that is of a table',
      { region: 'us-east-1', shards: 4, tables: [table()] },
      /shards: expected/,
    ],
    [
      'a wrong value beside the tables',
      { region: 'us-east-1', dashboard: 8, tables: [table()] },
      /^.*\n {2}dashboard: expected true or false/,
    ],
    [
      'an attribute that Step Functions would evaluate',
      configWith({ ttlAttribute: '{% $now() %}' }),
      /tables\[0\]\.ttlAttribute: expected no name that begins with \{% or ends with %\}/,
    ],
    [
      'an attribute that only ends like an expression',
      configWith({ ttlAttribute: 'now %}' }),
      /tables\[0\]\.ttlAttribute: expected no name that begins with \{% or ends with %\}/,
    ],
    [
      'an attribute that no name can be, half of a character',
      configWith({ ttlAttribute: 'a\ud800' }),
      /ttlAttribute: expected the name of an attribute/,
    ],
    [
      'an attribute with a zero byte',
      configWith({ sortKey: 'a\0' }),
      /sortKey: expected the name of an attribute/,
    ],
    [
      'an attribute of 256 bytes',
      configWith({ partitionKey: 'ä'.repeat(128) }),
      /partitionKey: expected .* 255 bytes/,
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
      /tables\[0\]\.tableName: expected a table name.* got nothing\. Add the field/,
    ],
    [
      'an unknown field',
      configWith({ colour: 'red' }),
      /tables\[0\]\.colour: expected one of the fields .*Remove it\./s,
    ],
    [
      'a misspelt prop',
      configWith({ index: { granularityMinuts: 5 } }),
      /tables\[0\]\.index\.granularityMinuts: .*Did you mean granularityMinutes\?/,
    ],
    [
      'granularity 0',
      configWith({ index: { granularityMinutes: 0 } }),
      /tables\[0\]\.index\.granularityMinutes: expected .* divides a day evenly .* got 0\./,
    ],
    [
      'granularity 1.5',
      configWith({ index: { granularityMinutes: 1.5 } }),
      /index\.granularityMinutes: .* got 1\.5\. Use 1:/,
    ],
    [
      'granularity 7',
      configWith({ index: { granularityMinutes: 7 } }),
      /index\.granularityMinutes: .* got 7\. Use 6:/,
    ],
    [
      'shards 0',
      configWith({ index: { shards: 0 } }),
      /tables\[0\]\.index\.shards: expected a whole number from 1 to 1000, got 0/,
    ],
    ['shards 1.5', configWith({ index: { shards: 1.5 } }), /index\.shards: .* got 1\.5/],
    ['shards as a text', configWith({ index: { shards: '2' } }), /index\.shards: .* got "2"/],
    [
      'an empty index name',
      configWith({ index: { name: '' } }),
      /tables\[0\]\.index\.name: expected an index name/,
    ],
    [
      'an empty TTL attribute',
      configWith({ ttlAttribute: '' }),
      /tables\[0\]\.ttlAttribute: expected .* got ""/,
    ],
    [
      'another way to index',
      configWith({ index: { by: 'minute' } }),
      /index\.by: expected one of "window", "second", got "minute"/,
    ],
    [
      'shards by second',
      configWith({ index: { by: 'second', shards: 2 } }),
      /index\.shards: expected none with index: \{ by: 'second' \}, got 2\. Leave it out/,
    ],
    [
      'a watched minute without a sweep in it',
      configWith({ precision: 'minute', pollSeconds: 5 }),
      /pollSeconds: expected 0 with precision: 'minute', got 5/,
    ],
    ['an empty window attribute', configWith({ index: { attribute: '' } }), /index\.attribute: .* got ""/],
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
      configWith({ sortKey: { type: 'N' } }),
      /sortKey\.name: expected the name of an attribute/,
    ],
    [
      'a key type that is none',
      configWith({ partitionKey: { name: 'id', type: 'BOOL' } }),
      /partitionKey\.type: expected one of "S", "N", "B"/,
    ],
    [
      'an unknown delete mode',
      configWith({ deleteMode: 'fast' }),
      /deleteMode: expected one of "guarded", "batch", got "fast"/,
    ],
    [
      'one table twice',
      { region: 'us-east-1', tables: [table(), table()] },
      /tables\[1\]\.tableName: expected another/,
    ],
    [
      'more deletes a second than the one shard takes',
      configWith({ maxDeletesPerSecond: 5000, index: { granularityMinutes: 1, shards: 1 } }),
      /maxDeletesPerSecond: expected at most 1000: .* there is 1, got 5000\. Lower it, or set index: \{ shards: 50 \}, .* warm for 25000 write units/,
    ],
    [
      'more deletes a second than the shards take, in windows of a day',
      configWith({ maxDeletesPerSecond: 16_667, index: { shards: 16, granularityMinutes: 1440 } }),
      /maxDeletesPerSecond: expected at most 16000: .* there are 16, got 16667\. .* set index: \{ shards: 328 \}, .* warm for 84000 write units/,
    ],
    [
      'more deletes a second than any shards take',
      configWith({ maxDeletesPerSecond: 1_000_000 }),
      /Lower it: no number of shards takes that/,
    ],
    [
      'dashboard as a text',
      configWith({ dashboard: 'false' }),
      /dashboard: expected true or false, got "false"/,
    ],
    ...(
      [
        ['events.to', { events: { to: 'arn:aws:sqs:eu-west-1:123456789012:q' } }],
        ['kmsKeyArn', { kmsKeyArn: 'arn:aws:kms:eu-west-1:123456789012:key/1' }],
        ['tableKmsKeyArn', { tableKmsKeyArn: 'arn:aws:kms:eu-west-1:123456789012:key/1' }],
        ['alarms', { alarms: 'arn:aws:sns:eu-west-1:123456789012:t' }],
      ] as const
    ).map(([field, props]): [string, unknown, RegExp] => [
      `${field} of another region`,
      configWith(props),
      new RegExp(
        `tables\\[0\\]\\.${field}: expected an ARN of the region that is deployed to \\(us-east-1\\)`,
      ),
    ]),
    [
      'a prop that is inherited',
      { region: 'us-east-1', tables: [Object.assign(Object.create({ sortKey: 'sk' }), table())] },
      /tables\[0\]\.sortKey: expected a field of the object itself, or none, got "one that it inherits/,
    ],
    ...tagged(
      JSON.parse('{"__proto__": "x"}'),
      /tags\["__proto__"\], its key: expected another text than __proto__/,
    ),
    [
      'a state in a bucket that cannot be',
      { region: 'us-east-1', state: { backend: 's3', bucket: 'a..b' }, tables: [table()] },
      /state\.bucket: expected the name of a bucket/,
    ],
  ])('%s', (_name, wrong, message) => {
    expect(() => checkConfig(wrong)).toThrow(InvalidConfigError);
    expect(() => checkConfig(wrong)).toThrow(message);
  });

  test('several things at once, all of them named', () => {
    try {
      checkConfig({
        region: 'us-east-1',
        tables: [table({ index: { shards: 0, granularityMinutes: 7 } }), table({ colour: 1 })],
      });
    } catch (error) {
      expect((error as InvalidConfigError).problems.map(({ field }) => field)).toEqual([
        'tables[0].index.granularityMinutes',
        'tables[0].index.shards',
        'tables[1].colour',
      ]);
      return;
    }
    throw new Error('no error');
  });
});

test('a required field is not told to be left out', () => {
  const wrong = {
    region: 'Ireland',
    state: { backend: 's3', bucket: '-' },
    tables: [{ tableName: '', partitionKey: '' }],
  };
  try {
    checkConfig(wrong);
  } catch (error) {
    const { problems } = error as InvalidConfigError;
    const remedies = new Map(problems.map(({ field, remedy }) => [field, remedy]));
    expect([...remedies.keys()].sort()).toEqual([
      'region',
      'state.bucket',
      'tables[0].partitionKey',
      'tables[0].tableName',
    ]);
    for (const remedy of remedies.values()) expect(remedy).not.toMatch(/leave|out/);
    return;
  }
  throw new Error('no error');
});

describe('is good:', () => {
  test.each<[string, object]>([
    ['a region of GovCloud', { region: 'us-gov-west-1' }],
    ['a region of China', { region: 'cn-northwest-1' }],
    ['a region newer than this version', { region: 'us-east-3' }],
    [
      '50 tags',
      { tags: Object.fromEntries(Array.from({ length: 50 }, (_unused, index) => [`k${index}`, 'v'])) },
    ],
    ['tags in other scripts', { tags: { 'équipe 班': 'größe_.:/=+-@ 1' } }],
    ['the longest tag', { tags: { ['k'.repeat(128)]: 'v'.repeat(256) } }],
  ])('%s', (_name, overrides) => {
    expect(() => checkConfig({ region: 'us-east-1', tables: [table()], ...overrides })).not.toThrow();
  });
});

test('what stands beside the tables is every table’s', () => {
  const tables = ['Orders', 'Tokens'].map(tableName => ({ tableName, partitionKey: 'id' }));
  const shared = { sweep: 'identity', dashboard: true, alarms: false };
  expect(checkConfig({ region: 'us-east-1', ...shared, tables }).tables).toMatchObject([shared, shared]);
});

/** Every field has a value, so that one after the other can be made null. */
/** With every default, as a person would write it. */
const written = (props: PreciseTtlProps) => propsOfSettings(resolveProps(props));

const WHOLE: DeploymentConfig = {
  region: 'us-east-1',
  state: { backend: 's3', bucket: 'my-state', key: 'state', region: 'us-east-1' },
  tags: { team: 'sessions' },
  tables: [
    written(
      table({
        sortKey: 'SessionId',
        archive: { lockDays: 30 },
        events: { to: 'arn:aws:sqs:us-east-1:123456789012:expiries', as: 'queue', oldImage: true },
      }),
    ),
    written(table({ sortKey: 'at', tableName: 'Tokens' })),
  ],
};

function pathsOf(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [[]];
  return [[], ...Object.entries(value).flatMap(([key, inner]) => pathsOf(inner).map(path => [key, ...path]))];
}

function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by;
  const copy: Record<string, unknown> = structuredClone(value) as Record<string, unknown>;
  copy[key] = replaced(copy[key], rest, by);
  return copy;
}

test('a null is a wrong value wherever it stands, and so is whatever else is wrong, without a crash', () => {
  expect(() => checkConfig(WHOLE)).not.toThrow();
  for (const path of pathsOf(WHOLE)) {
    expect(() => checkConfig(replaced(WHOLE, path, null))).toThrow(InvalidConfigError);
    expect(() => checkConfig(replaced(WHOLE, path, 5n))).toThrow(InvalidConfigError);
  }
  const anything = fc.anything({
    withBigInt: true,
    withSparseArray: true,
    withNullPrototype: true,
    withDate: true,
  });
  fc.assert(
    fc.property(fc.constantFrom(...pathsOf(WHOLE)), anything, (path, value) => {
      try {
        checkConfig(replaced(WHOLE, path, value));
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidConfigError);
      }
    }),
    { numRuns: 500 },
  );
});

test('every value of a wrong type is a problem, not a crash', () => {
  for (const field of WRITTEN_NAMES) {
    for (const value of [null, {}, [], -1, 1.5, Number.NaN, '', () => 1, 5n, Symbol('a')]) {
      const props = { ...table(), [field]: value } as PreciseTtlProps;
      const isNone = ['tags', 'archive', 'index'].includes(field) && isDeepStrictEqual(value, {});
      expect(propProblems(props).length > 0).toBe(!isNone);
    }
  }
});

describe('docs/reference/configuration.md', () => {
  const docs = readFileSync('docs/reference/configuration.md', 'utf8');
  test.each(['region', 'state', 'provider', 'overrides', 'tags'])('describes %s', name => {
    expect(docs).toContain(`| \`${name}\` |`);
  });
});
