// biome-ignore-all lint/suspicious/noTemplateCurlyInString: texts that look like Terraform's templates
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { checkConfig, type DeploymentConfig, InvalidConfigError } from '../../config/config.ts';
import { propProblems } from '../../config/prop-problems.ts';
import { type PreciseTtlProps, propsOfSettings, resolveProps, WRITTEN_NAMES } from '../../config/props.ts';
import { describeProblem, type FieldProblem } from '../../expiry/errors.ts';
import config from '../../precise-ttl.config.ts';

const table = (overrides: object = {}) => ({
  tableName: 'SessionData',
  partitionKey: 'UserName',
  ...overrides,
});
const configWith = (overrides: object) => ({ region: 'us-east-1', tables: [table(overrides)] });

function problemsOf(config: unknown): readonly FieldProblem[] {
  try {
    checkConfig(config);
  } catch (error) {
    if (error instanceof InvalidConfigError) return error.problems;
    throw error;
  }
  return [];
}

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

/** Each wrong configuration of a table, with the path below it, what is expected, and what to do. */
describe.each<[string, object, RegExp]>([
  ['ttlAttribute', { ttlAttribute: '{% $now()' }, /expected .*, no \{% at its beginning, no %\} at its end/],
  ['sortKey', { sortKey: 'now %}' }, /expected .* no %\} at its end/],
  ['index.attribute', { index: { attribute: '{%' } }, /expected .*, no \{% at its beginning/],
  ['ttlAttribute', { ttlAttribute: 'a\ud800' }, /expected the name of an attribute/],
  ['ttlAttribute', { ttlAttribute: '' }, /expected .* got ""/],
  ['ttlAttribute', { ttlAttribute: 'UserName' }, /expected another attribute than partitionKey/],
  ['ttlAttribute', { sortKey: 'at', ttlAttribute: 'at' }, /another attribute than sortKey/],
  ['sortKey', { sortKey: 'a\0' }, /expected the name of an attribute/],
  ['sortKey.name', { sortKey: { type: 'N' } }, /expected the name of an attribute/],
  ['partitionKey', { partitionKey: 'ä'.repeat(128) }, /expected .* 255 bytes/],
  ['partitionKey.type', { partitionKey: { name: 'id', type: 'BOOL' } }, /expected one of "S", "N", "B"/],
  ['tableName', { tableName: undefined }, /expected a table name.* got nothing\. Add the field/],
  ['colour', { colour: 'red' }, /expected one of the fields .*Remove it\./s],
  ['index.granularityMinuts', { index: { granularityMinuts: 5 } }, /Did you mean granularityMinutes\?/],
  ['index.granularityMinutes', { index: { granularityMinutes: 0 } }, /divides a day evenly .* got 0\./],
  ['index.granularityMinutes', { index: { granularityMinutes: 1.5 } }, / got 1\.5\. Use 1:/],
  ['index.granularityMinutes', { index: { granularityMinutes: 7 } }, / got 7\. Use 6:/],
  ['index.shards', { index: { shards: 0 } }, /expected a whole number from 1 to 1000, got 0/],
  ['index.shards', { index: { shards: 1.5 } }, / got 1\.5/],
  ['index.shards', { index: { shards: '2' } }, / got "2"/],
  [
    'index.shards',
    { index: { by: 'second', shards: 2 } },
    /expected none with index: \{ by: 'second' \}, got 2\. Leave it/,
  ],
  ['index.name', { index: { name: '' } }, /expected an index name/],
  ['index.by', { index: { by: 'minute' } }, /expected one of "window", "second", got "minute"/],
  ['index.attribute', { index: { attribute: '' } }, / got ""/],
  ['pollSeconds', { precision: 'minute', pollSeconds: 5 }, /expected 0 with precision: 'minute', got 5/],
  ['deleteMode', { deleteMode: 'fast' }, /expected one of "guarded", "batch", got "fast"/],
  ['dashboard', { dashboard: 'false' }, /expected true or false, got "false"/],
  ['kmsKeyArn', { kmsKeyArn: 'alias/mine' }, /expected the ARN of a key and not of an alias/],
  [
    'alarms',
    { alarms: 'arn:aws:sqs:us-east-1:123456789012:on-call' },
    /expected true, false, or the ARN of an SNS topic/,
  ],
  ['alarms', { alarms: null }, /expected true, false, or the ARN of an SNS topic/],
  [
    'maxDeletesPerSecond',
    { maxDeletesPerSecond: 5000, index: { granularityMinutes: 1, shards: 1 } },
    /expected at most 1000: .* there is 1, got 5000\. Lower it, or set index: \{ shards: 50 \}, .* warm for 25000 write units/,
  ],
  [
    'maxDeletesPerSecond',
    { maxDeletesPerSecond: 16_667, index: { shards: 16 } },
    /expected at most 16000: .* there are 16, got 16667\. .* set index: \{ shards: 328 \}, .* warm for 84000 write units/,
  ],
  ['maxDeletesPerSecond', { maxDeletesPerSecond: 1_000_000 }, /Lower it: no number of shards takes that/],
  ...(
    [
      ['events.to', { events: { to: 'arn:aws:sqs:eu-west-1:123456789012:q' } }],
      ['kmsKeyArn', { kmsKeyArn: 'arn:aws:kms:eu-west-1:123456789012:key/1' }],
      ['tableKmsKeyArn', { tableKmsKeyArn: 'arn:aws:kms:eu-west-1:123456789012:key/1' }],
      ['alarms', { alarms: 'arn:aws:sns:eu-west-1:123456789012:t' }],
    ] as const
  ).map(([field, props]): [string, object, RegExp] => [
    field,
    props,
    /expected an ARN of the region that is deployed to \(us-east-1\)/,
  ]),
])('tables[0].%s', (field, props, message) => {
  test(`is refused of ${JSON.stringify(props)}, and nothing else`, () => {
    const problems = problemsOf(configWith(props));
    expect(problems.map(problem => problem.field)).toEqual([`tables[0].${field}`]);
    expect(problems.map(describeProblem).join()).toMatch(message);
  });
});

/** Each wrong configuration, but for those of one table. */
describe.each<[string, unknown, RegExp]>([
  ['config', undefined, /expected an object, got nothing/],
  ['region', { region: undefined }, /expected an AWS region/],
  ['region', { region: 'us_east_1' }, /expected an AWS region.* got "us_east_1"/],
  ['tables', { tables: [] }, /expected a list of at least one table/],
  ['table', { table: [] }, /Did you mean tables\?/],
  ['shards', { shards: 4 }, /expected/],
  ['dashboard', { dashboard: 8 }, /expected true or false/],
  ['state', { state: { backend: 'S3', bucket: 'my-state' } }, /expected .*, got \{"backend":"S3"/],
  ['state.prefix', { state: { backend: 'gcs', prefix: null } }, /expected a text, a number, .* got null/],
  [
    'state.assume_role',
    { state: { backend: 's3', bucket: 'my-state', assume_role: { a: undefined } } },
    /expected a text/,
  ],
  ['provider.assume_role', { provider: { assume_role: { role_arn: undefined } } }, /expected a text/],
  ['provider', { provider: { region: 'eu-west-1' } }, /expected .* without region and default_tags/],
  ['overrides', { overrides: { aws_lambda_function: 50 } }, /expected \{ aws_lambda_function/],
  [
    'overrides.aws_lambda_function.layers',
    { overrides: { aws_lambda_function: { layers: [undefined] } } },
    /expected a text/,
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
    `overrides.aws_lambda_function.${argument}`,
    { overrides: { aws_lambda_function: { [argument]: {} } } },
    /expected an argument that is neither a name/,
  ]),
  ['tags', { tags: ['a'] }, /expected an object of/],
  ...[
    { a: 1 },
    { 'aws:a': 'a' },
    { a: 'AWS:a' },
    { 'a*': 'b' },
    { a: '${b}' },
    { a: '' },
    { a: 'x'.repeat(257) },
  ].map((tags): [string, unknown, RegExp] => [
    `tags["${Object.keys(tags)[0]}"]`,
    { tags },
    /expected a key of 1 to 128 and a text of 1 to 256 letters, .*AWS refuses a tag/,
  ]),
  ['tags["__proto__"]', { tags: JSON.parse('{"__proto__": "x"}') }, /expected a key of/],
  // biome-ignore lint/suspicious/noSparseArray: what a comma too much makes
  ['tables[0]', { tables: [, table()] }, /expected an object, got nothing/],
  ['tables[0]', { tables: ['SessionData'] }, /expected an object/],
  [
    'tables[0].sortKey',
    { tables: [Object.assign(Object.create({ sortKey: 'sk' }), table())] },
    /got "one that it inherits/,
  ],
  ['tables[1].tableName', { tables: [table(), table()] }, /expected another than that of tables\[0\]/],
  [
    'tables[1].dashboard',
    { dashboard: true, tables: [table(), table({ tableName: 'Tokens', dashboard: false })] },
    /expected true, as tables\[0\] \(SessionData\) has it: a deployment has one dashboard, got false\. Set dashboard once, beside tables; or put Tokens into a configuration of its own/,
  ],
])('%s', (field, wrong, message) => {
  test(`is refused: ${message.source.slice(0, 60)}`, () => {
    const config =
      wrong === undefined ? wrong : { region: 'us-east-1', tables: [table()], ...(wrong as object) };
    const problems = problemsOf(config);
    expect(problems.map(problem => problem.field)).toEqual([field]);
    expect(problems.map(describeProblem).join()).toMatch(message);
  });
});

test('several things at once are all named, and a required field is not told to be left out', () => {
  const several = [table({ index: { shards: 0, granularityMinutes: 7 } }), table({ colour: 1 })];
  expect(problemsOf({ region: 'us-east-1', tables: several }).map(({ field }) => field)).toEqual([
    'tables[0].index.granularityMinutes',
    'tables[0].index.shards',
    'tables[1].colour',
  ]);
  const problems = problemsOf({ region: 'Ireland', tables: [{ tableName: '', partitionKey: '' }] });
  expect(problems.map(({ field }) => field)).toEqual([
    'region',
    'tables[0].tableName',
    'tables[0].partitionKey',
  ]);
  for (const { remedy } of problems) expect(remedy).not.toMatch(/leave|out/);
});

describe('is good:', () => {
  test.each<[string, object]>([
    ['a region of GovCloud', { region: 'us-gov-west-1' }],
    ['a region of China', { region: 'cn-northwest-1' }],
    ['a region newer than this version', { region: 'us-east-3' }],
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
