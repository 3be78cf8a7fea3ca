import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { checkConfig } from '../../../config/config.ts';
import { GROUP_NAMES, GROUPS } from '../../../config/prop-groups.ts';
import { WRITTEN_NAMES } from '../../../config/props.ts';
import { configSchema } from '../../../tools/docs/config-schema.ts';

const schema = configSchema();
const isValid = new Ajv({ allErrors: true, unicodeRegExp: true }).compile(schema);

const TABLE = { tableName: 'SessionData', partitionKey: 'id' };
const CONFIG = { region: 'us-east-1', tables: [TABLE] };

function isAccepted(config: unknown): boolean {
  try {
    checkConfig(config);
    return true;
  } catch {
    return false;
  }
}

test('schema.json is that of the code: else run npm run docs', () => {
  expect(JSON.parse(readFileSync('schema.json', 'utf8'))).toEqual(schema);
});

const VALUES = [
  ...[
    -1, 0, 1, 2, 2.5, 7, 10, 25, 30, 60, 61, 100, 101, 128, 365, 744, 745, 1000, 1001, 10_240, 10_241, 44_641,
  ],
  ...['', 'a', 'ab', 'abc', 'a b', 'a.b', 'AWS/x', 'S', 'guarded', 'batch', 'x'.repeat(46), 'x'.repeat(256)],
  ...[true, false, null, [], {}],
];

/** Whether the type of a value is accepted, even if other fields are refused because of it. */
function accepts(config: object): boolean {
  try {
    checkConfig(config);
    return true;
  } catch (error) {
    const { problems } = error as { problems: readonly { field: string; expected: string }[] };
    const relations = /^(at least|at most \d+( windows| executions|:)|0, or|0 in the plain|at most 45)/;
    const wrong = problems.filter(({ expected }) => !relations.test(expected));
    return wrong.length === 0;
  }
}

/** The props, and the fields of props that are objects. */
const PATHS: readonly (readonly [string, string?])[] = [
  ...WRITTEN_NAMES.map(name => [name] as const),
  ...GROUP_NAMES.flatMap(group => Object.keys(GROUPS[group].fields).map(field => [group, field] as const)),
];

function configWith([prop, field]: readonly [string, string?], value: unknown): object {
  const key = prop.endsWith('Key') && { name: prop === 'sortKey' ? 'at' : 'id' };
  const given = field === undefined ? value : { ...key, [field]: value };
  return { ...CONFIG, tables: [{ ...TABLE, [prop]: given }] };
}

interface Described {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly anyOf?: readonly Described[];
}

describe.each(PATHS.map(path => ({ path, name: path.join('.') })))('$name', ({ path }) => {
  test('is marked by an editor where the command refuses it, and nowhere else', () => {
    for (const value of VALUES) {
      const config = configWith(path, value);
      const told = { value, valid: isValid(config) };
      // Names that are too long or used twice are reported by the command, not by the schema.
      if (typeof value === 'string' && (value.length > 200 || value === 'a') && told.valid) continue;
      expect(told).toEqual({ value, valid: accepts(config) });
    }
  });

  test('has a description without links', () => {
    const { tables } = (schema as { properties: { tables: { items: Described } } }).properties;
    const [prop, field] = path;
    const own = tables.items.properties?.[prop];
    const fields = own?.properties ?? own?.anyOf?.[1]?.properties;
    expect((field === undefined ? own : fields?.[field])?.description).toMatch(/^[^\]]{8,}$/);
  });
});

test.each<[string, unknown]>([
  ['everything that is required', CONFIG],
  ['a schema for the editor', { ...CONFIG, $schema: './schema.json' }],
  [
    'all other fields',
    { ...CONFIG, allowUnknownRegion: true, tags: { team: 'a' }, state: { backend: 'local' } },
  ],
  [
    'a state in another backend, a provider, and overrides',
    {
      ...CONFIG,
      state: { backend: 'gcs', bucket: 'my-state' },
      provider: { assumeRole: { roleArn: 'arn:aws:iam::123456789012:role/deployer' }, profile: 'production' },
      overrides: { aws_lambda_function: { reserved_concurrent_executions: 50 } },
    },
  ],
  [
    'settings of Terraform for a state in a bucket',
    { ...CONFIG, state: { backend: 's3', bucket: 'my-state', profile: 'states' } },
  ],
  [
    'a state in a bucket',
    { ...CONFIG, state: { backend: 's3', bucket: 'my-state', key: 'a/b', region: 'eu-west-1' } },
  ],
])('an editor takes a configuration with %s', (_what, config) => {
  expect(isValid(config)).toBe(true);
  const { $schema: _ofEditors, ...checked } = config as Record<string, unknown>;
  expect(isAccepted(checked)).toBe(true);
});

test.each<[string, unknown]>([
  ['no region', { tables: [TABLE] }],
  ['no table', { ...CONFIG, tables: [] }],
  ['a misspelt field', { ...CONFIG, tabels: [] }],
  ['a misspelt field of a table', { ...CONFIG, tables: [{ ...TABLE, shard: 2 }] }],
  ['a bucket that is none', { ...CONFIG, state: { backend: 's3', bucket: 'My_State' } }],
  ['a bucket of a local state', { ...CONFIG, state: { backend: 'local', bucket: 'my-state' } }],
  ['a number as tag', { ...CONFIG, tags: { team: 1 } }],
])('an editor marks a configuration with %s, as the command does', (_what, config) => {
  expect(isValid(config)).toBe(false);
  expect(isAccepted(config)).toBe(false);
});
