// biome-ignore-all lint/suspicious/noTemplateCurlyInString: texts that look like Terraform's templates
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describeProblem, type FieldProblem } from '../../../expiry/errors.ts';
import config from '../../../precise-ttl.config.ts';
import {
  CONFIG_KINDS,
  checkConfig,
  type DeploymentConfig,
  InvalidConfigError,
} from '../../../stacks/config/config.ts';
import { pipesOf } from '../../../stacks/config/pipe-props.ts';
import { propProblems } from '../../../stacks/config/prop-problems.ts';
import { propsOfSettings, resolveProps, WRITTEN_NAMES } from '../../../stacks/config/props.ts';
import { EXAMPLE_ARNS } from '../../../tools/docs/role-statements.ts';

const TABLE = { tableName: 'SessionData', partitionKey: 'UserName' };
const { bus, queue, topic, stream } = EXAMPLE_ARNS;
const IN = 'us-east-1:123456789012';
const KEY_ELSEWHERE = 'arn:aws:kms:eu-west-1:123456789012:key/1';
const REFERENCE = '${aws_sqs_queue.expired.arn}';

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

/** Each kind of wrong value of a table, with its field, what is expected, and what to do. */
const WRONG_TABLES: readonly (readonly [field: string, props: object, message: string | RegExp])[] = [
  ['tableName', { tableName: undefined }, /expected a table name.* got nothing\. Add the field/],
  ['partitionKey', { partitionKey: 'ä'.repeat(128) }, /expected .* 255 bytes/],
  ['partitionKey', { partitionKey: '{% id' }, 'no {% at its beginning, no %} at its end'],
  ['sortKey', { sortKey: 'at %}' }, 'no %} at its end'],
  ['sortKey.name', { sortKey: { type: 'N' } }, 'expected the name of an attribute'],
  ['ttlAttribute', { ttlAttribute: 'a\ud800' }, 'expected the name of an attribute'],
  ['sortKey', { sortKey: 'a\0' }, 'expected the name of an attribute'],
  ['ttlAttribute', { ttlAttribute: 'UserName' }, 'expected another attribute than partitionKey'],
  ['index.granularityMinuts', { index: { granularityMinuts: 5 } }, 'Did you mean granularityMinutes?'],
  ['index.granularityMinutes', { index: { granularityMinutes: 7 } }, /divides a day evenly .* Use 6:/],
  ['index.shards', { index: { shards: 0 } }, 'expected a whole number from 1 to 1000, got 0'],
  ['index.shards', { index: { by: 'second', shards: 2 } }, "none with index: { by: 'second' }, got 2"],
  ['index.by', { index: { by: 'minute' } }, 'expected one of "window", "second", got "minute"'],
  ['pollSeconds', { precision: 'minute', pollSeconds: 5 }, "expected 0 with precision: 'minute', got 5"],
  ['dashboard', { dashboard: 'false' }, 'expected true or false, got "false"'],
  ['kmsKeyArn', { kmsKeyArn: 'alias/mine' }, 'expected the ARN of a key and not of an alias'],
  ['alarms', { alarms: queue }, 'expected true, false, or the ARN of an SNS topic'],
  ['colour', { colour: 'red' }, /expected one of the fields .*Remove it\./s],
  [
    'maxDeletesPerSecond',
    { maxDeletesPerSecond: 16_667, index: { shards: 16 } },
    /expected at most 16000: .* there are 16, got 16667\. Lower it, or raise index\.shards/,
  ],

  ['kmsKeyArn', { kmsKeyArn: KEY_ELSEWHERE }, 'of the region that is deployed to (us-east-1)'],
  ['tableKmsKeyArn', { tableKmsKeyArn: KEY_ELSEWHERE }, 'expected an ARN of the region'],
  ['alarms', { alarms: topic.replace('us-east-1', 'eu-west-1') }, 'expected an ARN of the region'],
  ['events.to', { events: { to: queue.replace('us-east-1', 'eu-west-1') } }, 'expected an ARN of the region'],

  ['events.to', { events: { to: [] } }, 'expected the ARN of what gets the events, or a list of two, got []'],
  ['events.to', { events: { to: 'https://sqs' } }, 'expected the ARN of a bus, queue,'],
  ['events.to', { events: { to: `${topic}.fifo` } }, 'Pipes do not deliver to FIFO topics. Take'],
  ['events.to', { events: { to: `arn:aws:events:${IN}:rule/orders` } }, 'Give the bus, not a rule of it.'],
  ['events.to', { events: { to: `arn:aws:states:${IN}:execution:a:b` } }, 'Give the state machine.'],
  ['events.to', { events: { to: 'arn:aws:s3:::bucket' } }, 'Let a bus, a queue or a function pass them on.'],
  ['events.to[1]', { events: { to: [bus, 'no'] } }, 'expected the ARN of'],
  ['events.to', { events: { to: queue, as: 'stream' } }, 'Leave out as: it is a queue.'],
  [
    'events.as',
    { events: { to: REFERENCE } },
    `expected one of 'bus', 'queue', 'fifoQueue', 'topic', 'stream', 'firehose', 'function', 'stateMachine', got nothing. Add it: the ARN ${REFERENCE} is known to Terraform only.`,
  ],
  ['events.image', { events: { to: queue, image: true } }, 'expected one of the fields'],
  ['events', { events: { to: [bus, queue, stream] } }, 'expected at most 2 pipes, with the archive'],
  ['events', { archive: true, events: { to: [bus, queue] } }, 'Send the events to a bus or a topic'],
  ...[
    'lambda:us-east-1:123456789012:function:precise-ttl-only-expiries',
    'lambda:us-east-1:123456789012:function:precise-ttl-delete-chunk:1',
    'sqs:us-east-1:123456789012:precise-ttl-dead-letters',
    'states:us-east-1:123456789012:stateMachine:precise-ttl-replay',
  ].map(arn => ['events.to', { events: { to: `arn:aws:${arn}` } }, "this deployment's own"] as const),

  ['archive', { archive: 'bucket' }, 'expected true, false, or { bucket: … } or { lockDays: … }, got'],
  ['archive.lockDays', { archive: { bucket: 'own', lockDays: 1 } }, /none with bucket.* Lock that one/],
  ['archive.lockDays', { archive: { lockDays: 0.5 } }, 'expected a whole number of days from 0 to 36500'],
  ...[
    ...['My-Own', 'a..b', '192.168.0.1', 'xn--own', 'sthree-own', 'amzn-s3-demo-own'],
    ...['own-s3alias', 'own--ol-s3', 'own.mrap', 'own--usw2-az1--x-s3', 'own--table-s3'],
  ].map(bucket => ['archive.bucket', { archive: { bucket } }, 'expected the name of a bucket'] as const),
];

/** The same of a configuration, but for its tables. */
const WRONG: readonly (readonly [field: string, config: object, message: string | RegExp])[] = [
  ['region', { region: undefined }, 'expected an AWS region'],
  ['region', { region: 'us_east_1' }, /expected an AWS region.* got "us_east_1"/],
  ['tables', { tables: [] }, 'expected a list of at least one table'],
  ['table', { table: [] }, 'Did you mean tables?'],
  ['shards', { shards: 4 }, 'expected'],
  ['dashboard', { dashboard: 8 }, 'expected true or false'],
  ['state', { state: { backend: 'S3', bucket: 'my-state' } }, /expected .*, got \{"backend":"S3"/],
  ['state.prefix', { state: { backend: 'gcs', prefix: null } }, /expected a text, a number, .* got null/],
  ['state.role', { state: { backend: 's3', bucket: 'my-state', role: { a: undefined } } }, 'expected a text'],
  ['provider.assume_role', { provider: { assume_role: { role_arn: undefined } } }, 'expected a text'],
  ['provider.region', { provider: { region: 'eu-west-1' } }, /expected .* neither region .*, got/],
  ['provider.default_tags.x', { provider: { 'default_tags.x': 'y' } }, 'expected an argument of'],
  ['overrides', { overrides: { aws_lambda_function: 50 } }, 'expected { aws_lambda_function'],
  ['overrides.aws_x.layers', { overrides: { aws_x: { layers: [undefined] } } }, 'expected a text'],
  // CDKTF takes a dot for the way to an argument within another.
  ...['lifecycle', 'for_each', 'name', 'function_name', 'lifecycle.prevent_destroy', 'a.0.name'].map(
    argument =>
      [
        `overrides.aws_x.${argument}`,
        { overrides: { aws_x: { [argument]: {} } } },
        'expected an argument that is neither a name nor one of Terraform itself',
      ] as const,
  ),
  ['tags', { tags: ['a'] }, 'expected an object of'],
  ...[
    ...[{ a: 1 }, { 'aws:a': 'a' }, { a: 'AWS:a' }, { 'a*': 'b' }, { a: '${b}' }, { a: '' }],
    ...[{ a: 'x'.repeat(257) }, { ['k'.repeat(129)]: 'x' }, JSON.parse('{"__proto__": "x"}')],
  ].map(tags => {
    const [key] = Object.keys(tags);
    return [
      `tags[${JSON.stringify(key)}]`,
      { tags },
      'expected a key of 1 to 128 and a text of 1 to 256',
    ] as const;
  }),
  // biome-ignore lint/suspicious/noSparseArray: what a comma too much makes
  ['tables[0]', { tables: [, TABLE] }, 'expected an object, got nothing'],
  ['tables[1].tableName', { tables: [TABLE, TABLE] }, 'expected another than that of tables[0]'],
  [
    'tables[1].dashboard',
    { dashboard: true, tables: [TABLE, { ...TABLE, tableName: 'Tokens', dashboard: false }] },
    'expected true, as tables[0] (SessionData) has it: a deployment has one dashboard, got false. Set dashboard once, beside tables; or put Tokens into a configuration of its own',
  ],
  [
    'tables[1].archive.lockDays',
    { tables: [1, 2].map(lockDays => ({ ...TABLE, tableName: `T-${lockDays}`, archive: { lockDays } })) },
    'expected 1, as tables[0] (T-1) has it: a deployment has one bucket, got 2.',
  ],
];

test.each([
  ...WRONG_TABLES.map(
    ([field, props, message]) =>
      [`tables[0].${field}`, { tables: [{ ...TABLE, ...props }] }, message] as const,
  ),
  ...WRONG,
])('%s is refused of %j, and nothing else', (field, given, message) => {
  const problems = problemsOf({ region: 'us-east-1', tables: [TABLE], ...given });
  expect(problems.map(problem => problem.field)).toEqual([field]);
  const text = problems.map(describeProblem).join();
  expect(text).toMatch(message);
});

test('several things at once are all named, and a required field is not told to be left out', () => {
  const several = [
    { ...TABLE, index: { shards: 0, granularityMinutes: 7 } },
    { ...TABLE, colour: 1 },
  ];
  expect(problemsOf({ region: 'us-east-1', tables: several }).map(({ field }) => field)).toEqual([
    'tables[0].index.granularityMinutes',
    'tables[0].index.shards',
    'tables[1].colour',
  ]);
  const problems = problemsOf({ region: 'Ireland', tables: [{ tableName: '', partitionKey: '' }] });
  const fields = ['region', 'tables[0].tableName', 'tables[0].partitionKey'];
  expect(problems.map(({ field }) => field)).toEqual(fields);
  for (const { remedy } of problems) expect(remedy).not.toMatch(/leave|out/);
});

test.each([
  { region: 'us-gov-west-1' },
  { region: 'us-east-3' },
  { tags: { 'équipe 班': 'größe_.:/=+-@ 1', ['k'.repeat(128)]: 'v'.repeat(256) } },
  ...[
    { maxDeletesPerSecond: 5000, index: { shards: 5 } },
    // What is left lies under many seconds.
    { maxDeletesPerSecond: 5000, index: { by: 'second' } },
    { index: { by: 'second' }, precision: 'minute' },
    { index: { by: 'second' }, pollSeconds: 5 },
    { index: { shards: 1000, granularityMinutes: 1 } },
    { events: { to: REFERENCE, as: 'fifoQueue' } },
  ].map(props => ({ tables: [{ ...TABLE, ...props }] })),
])('%j is taken', given => {
  expect(problemsOf({ region: 'us-east-1', tables: [TABLE], ...given })).toEqual([]);
});

test.each(Object.entries(EXAMPLE_ARNS))('the ARN of a %s says what it is', (kind, to) => {
  expect(propProblems({ ...TABLE, events: { to } })).toEqual([]);
  expect(pipesOf({ events: { to } })).toEqual([{ id: kind, kind, to, oldImage: false }]);
});

test('an archive and each target are a pipe', () => {
  const ids = (table: Parameters<typeof pipesOf>[0]) => pipesOf(table).map(({ id }) => id);
  expect(ids({ archive: {}, events: { to: [queue] } })).toEqual(['archive', 'queue']);
  expect(ids({ archive: false, events: { to: [queue, topic] } })).toEqual(['queue', 'topic']);
  expect(ids({ events: { to: [queue, `${queue}-other`] } })).toEqual(['queue', 'queue-2']);
  expect(pipesOf({ events: { to: REFERENCE, as: 'fifoQueue' } })).toMatchObject([{ kind: 'fifoQueue' }]);
});

test('what stands beside the tables is every table’s', () => {
  const tables = ['Orders', 'Tokens'].map(tableName => ({ tableName, partitionKey: 'id' }));
  const shared = { deployment: 'identity', dashboard: true, alarms: false };
  expect(checkConfig({ region: 'us-east-1', ...shared, tables }).tables).toMatchObject([shared, shared]);
});

/** With every default, as a person would write it. */
const WHOLE: DeploymentConfig = {
  region: 'us-east-1',
  state: { backend: 's3', bucket: 'my-state', key: 'state', region: 'us-east-1' },
  tags: { team: 'sessions' },
  tables: [
    {
      sortKey: 'SessionId',
      archive: { lockDays: 30 },
      events: { to: queue, as: 'queue' as const, oldImage: true },
    },
    { sortKey: 'at', tableName: 'Tokens' },
  ].map(props => propsOfSettings(resolveProps({ ...TABLE, ...props }))),
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

test('a value of a wrong type is a problem wherever it stands, and no value is a crash', () => {
  expect(problemsOf(WHOLE)).toEqual([]);
  expect(problemsOf(undefined)).toMatchObject([{ field: 'config' }]);
  const taken = pathsOf(WHOLE).flatMap(path =>
    [null, 5n, () => 1, Symbol('a'), Number.NaN, ...(path[0] === 'tables' ? [-1, 1.5, ''] : [])]
      .filter(wrong => problemsOf(replaced(WHOLE, path, wrong)).length === 0)
      .map(wrong => [path, wrong]),
  );
  expect(taken).toEqual([]);
  const options = { withBigInt: true, withSparseArray: true, withNullPrototype: true, withDate: true };
  const anything = fc.property(fc.constantFrom(...pathsOf(WHOLE)), fc.anything(options), (path, value) => {
    problemsOf(replaced(WHOLE, path, value));
  });
  fc.assert(anything, { numRuns: 500 });
});

test('docs/reference/configuration.md has a row of each field', () => {
  const docs = readFileSync('docs/reference/configuration.md', 'utf8');
  for (const name of [...Object.keys(CONFIG_KINDS), ...WRITTEN_NAMES]) {
    const isGroup = name === 'tables' || name === 'index';
    expect([name, isGroup || docs.includes(`| \`${name}\` |`)]).toEqual([name, true]);
  }
});
