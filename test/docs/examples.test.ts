import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { monthlyCost } from '../../cli/cost.ts';
import { expiryAttributes } from '../../expiry/attributes.ts';
import { type ExpiryModelProps, expiryModel, MAX_SHARDS } from '../../expiry/model.ts';
import { MINUTES_PER_DAY } from '../../expiry/window.ts';
import { onlyExpiries } from '../../functions/only-expiries/handler.ts';
import type { Overrides } from '../../stacks/config/config.ts';
import { anyCharacter } from '../support/any-character.ts';
import { configOf } from '../support/configs.ts';
import { codeBlocks } from '../support/proposed-commands.ts';
import { streamRecord } from '../support/stream-records.ts';
import { type TerraformJson, terraformJson } from '../support/synthesized.ts';
import { expiriesOf } from './consumer.ts';

const text = readFileSync('docs/archive-and-events.md', 'utf8');
const DATE = Date.parse('2026-11-22T10:00:00Z');

test('the table has the fields of an event and of a line, in their order', () => {
  const item = { id: { S: 'a' }, ttl: { N: String(DATE / 1000) } };
  const record = streamRecord({ place: 1, item, at: DATE / 1000 });
  const piped = { table: 'SessionData', ttlAttribute: 'ttl', to: 'archive', oldImage: true, record } as const;
  const large = Array.from({ length: 110_000 }, () => ({ N: '1' }));
  const compressed = {
    ...record,
    dynamodb: { ...record.dynamodb, OldImage: { ...item, large: { L: large } } },
  };
  const fields = [
    piped,
    { ...piped, to: 'queue', record: compressed } as const,
    { ...piped, record: compressed },
  ].flatMap(each => onlyExpiries([each]).flatMap(event => Object.keys(event)));
  expect(fieldsIn('### The event')).toEqual([...new Set(fields)]);
});

/** The names in the table of a section. */
function fieldsIn(heading: string): string[] {
  const [, section = ''] = text.split(`${heading}\n`);
  const rows = section.split(/\n#+ /)[0]?.match(/^\| `[^|]*/gm) ?? [];
  return rows.flatMap(row => [...row.matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
}

test('the folders are those of the deployment', () => {
  const { resource } = terraformJson(
    configOf({ tableName: 'SessionData', partitionKey: 'id', archive: true }),
  );
  const [stream] = Object.values(resource['aws_kinesis_firehose_delivery_stream'] ?? {});
  const { prefix = '' } = (stream?.['extended_s3_configuration'] ?? {}) as { readonly prefix?: string };
  const folder = prefix.replace(/^\$\{[^}]*\}/, 'SessionData');
  expect(text).toContain(
    `\`${folder.replace('SessionData', '<table>').replace('!{timestamp:yyyy-MM-dd}', '2026-11-22')}\``,
  );
  expect(readFileSync('docs/files/athena.sql', 'utf8')).toContain(
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder of Athena's
    `'storage.location.template' = 's3://BUCKET/${folder.replace('!{timestamp:yyyy-MM-dd}', '${day}')}'`,
  );
});

test('what 10,000 expiries a minute cost is what the calculator says', () => {
  const dollarsOf = (props: object, name: string) =>
    monthlyCost([{ tableName: 'SessionData', partitionKey: 'id', ...props }], {
      ...{ itemsPerMonth: 432e6, itemBytes: 400, renewalsPerItem: 0, lifetimeHours: 24 },
    })
      .bill.lines.filter(line => line.name.startsWith(name))
      .reduce((sum, { dollars }) => sum + dollars, 0)
      .toFixed(0);
  const events = { events: { to: 'arn:aws:sqs:us-east-1:123456789012:q' } };
  const said = [...text.matchAll(/^\| [^|]+ \| \$(\d+) \|$/gm)].map(([, dollars]) => dollars);
  expect(said).toEqual([
    dollarsOf(events, 'deletes of items'),
    dollarsOf(events, 'pipes'),
    dollarsOf(events, 'OnlyExpiries'),
    dollarsOf({ archive: true }, 'Firehose'),
    dollarsOf(events, 'OnlyExpiries'),
  ]);
});

test('the consumer of the stream on the page is that of consumer.ts, and gets the expiries', () => {
  const source = readFileSync(new URL('consumer.ts', import.meta.url), 'utf8');
  const shown = source.replace("'../../expiry/index.ts'", "'precise-ttl'");
  expect(codeBlocks('docs/archive-and-events.md', 'ts')).toContain(shown);
  const item = { UserName: { S: 'a' }, SessionId: { N: '1' }, ttl: { N: '1790000000' } };
  const expired = streamRecord({ place: 1, item, at: 1_790_000_001 });
  const deleted = streamRecord({ place: 2, item, at: 1_789_999_999 });
  expect(expiriesOf({ Records: [deleted, expired] })).toEqual([expired]);
});

// A writer in another language has the format in docs/use.md, and window.py, which makes what expiryAttributes makes.

const PAGE = 'docs/use.md';
const [modelOfPage = ''] = codeBlocks(PAGE, 'json');

test('the model of the page is one, and its example is right', () => {
  const [, key, sort, ttl, window] =
    /\(`(\w+)`, `(\w+)`\) that\s+expires\s+at\s+(\d+)\s+has\s+the\s+window\s+`([^`]+)`/.exec(
      readFileSync(PAGE, 'utf8'),
    ) ?? [];
  const props: ExpiryModelProps = JSON.parse(modelOfPage);
  const item = { [String(props.partitionKey)]: key, [String(props.sortKey)]: sort };
  const expiresAt = Number(ttl);
  expect(
    expiryAttributes(expiryModel(props), item, { expiresAt, nowMs: (expiresAt - 60) * 1000 }),
  ).toMatchObject({ expirationWindow: window });
});

/** An item's key in the texts that are hashed, and as the document client has it. */
const keyValues = fc.oneof(
  fc.string({ unit: anyCharacter, minLength: 1 }).map(plain => ({ text: `S:${plain}`, plain })),
  fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n }).map(plain => ({ text: `N:${plain}`, plain })),
  fc
    .uint8Array({ minLength: 1 })
    .map(plain => ({ text: `B:${Buffer.from(plain).toString('base64')}`, plain })),
);
const lengths = Array.from({ length: MINUTES_PER_DAY }, (_, index) => index + 1).filter(
  minutes => MINUTES_PER_DAY % minutes === 0,
);
const cases = fc
  .record({
    granularityMinutes: fc.constantFrom(...lengths),
    shards: fc.integer({ min: 1, max: MAX_SHARDS }),
    // From 1974, so that no clock can be taken for one in another unit, to the year 4907.
    ttl: fc.integer({ min: 130_000_000, max: 92_700_000_000 }),
    // Undefined: wherever it is. Otherwise on an edge, or a second off it.
    offEdge: fc.constantFrom(undefined, -1, 0, 1),
    bySecond: fc.integer({ min: 0, max: 9 }).map(drawn => drawn === 0),
    key: fc.array(keyValues, { minLength: 1, maxLength: 2 }),
  })
  .map(({ granularityMinutes, shards, ttl: drawn, offEdge, bySecond, key }) => {
    const length = granularityMinutes * 60;
    const ttl = offEdge === undefined ? drawn : Math.round(drawn / length) * length + offEdge;
    const window = { windowAttribute: 'expirationWindow', granularityMinutes, shards };
    const model: ExpiryModelProps = {
      ...{ partitionKey: 'pk', ...(key.length > 1 && { sortKey: 'sk' }), ttlAttribute: 'expiresAt' },
      ...(bySecond ? { indexedBy: 'second' } : { indexedBy: 'window', ...window }),
    };
    const item = { pk: key[0]?.plain, ...(key.length > 1 && { sk: key[1]?.plain }) };
    const expected = expiryAttributes(expiryModel(model), item, {
      expiresAt: ttl,
      nowMs: (ttl - 60) * 1000,
    });
    return { model, ttl, key: key.map(({ text }) => text), expected };
  });

const PYTHON = `import json, sys
from window import expiry
for line in sys.stdin.buffer:
    case = json.loads(line)
    print(json.dumps(expiry(case["model"], case["ttl"], *case["key"])))
`;

const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) console.warn('docs/files/window.py is not tested: it needs python3.');
(hasPython ? test : test.skip)('window.py makes what expiryAttributes makes', () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const drawn = fc.sample(cases, { numRuns: 1000, seed });
  const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-python-'));
  try {
    cpSync('docs/files/window.py', join(folder, 'window.py'));
    writeFileSync(join(folder, 'expiry-model.json'), modelOfPage);
    writeFileSync(join(folder, 'driver.py'), PYTHON);
    const input = drawn.map(each => `${JSON.stringify(each)}\n`).join('');
    const { stdout, stderr } = spawnSync('python3', ['driver.py'], { cwd: folder, input, encoding: 'utf8' });
    expect(stderr).toBe('');
    const made = stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line));
    const wrong = drawn.map((each, index) => ({ ...each, made: made[index] }));
    const [first] = wrong.filter(each => JSON.stringify(each.made) !== JSON.stringify(each.expected));
    expect({ seed, count: made.length, first }).toEqual({ seed, count: drawn.length, first: undefined });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

const TABLES = ['Sessions', 'Tokens'].map(tableName => ({ tableName, partitionKey: 'id' }));
const PLAIN = terraformJson(configOf(...TABLES));

/** What each example of the document sets, by the argument that it is about, synthesized for two tables. */
const SYNTHESIZED: Readonly<Record<string, TerraformJson>> = Object.fromEntries(
  codeBlocks('docs/reference/configuration.md', 'ts')
    .filter(code => code.startsWith('overrides:'))
    .map(code => {
      const { overrides } = runInNewContext(`({ ${code} })`) as { overrides: Overrides };
      const subject = ['memory_size', 'table_class', 'vpc_config', 'retention_in_days'].find(each =>
        code.includes(each),
      );
      return [String(subject), terraformJson({ ...configOf(...TABLES), overrides })];
    }),
);

/** Types of the resources that an example changes. */
const changed = ({ resource }: TerraformJson) =>
  Object.keys(resource).filter(
    type => JSON.stringify(resource[type]) !== JSON.stringify(PLAIN.resource[type]),
  );

test('of overrides there are four examples, and each changes the types that it names', () => {
  const types = Object.entries(SYNTHESIZED).map(([subject, json]) => [subject, changed(json)]);
  expect(Object.fromEntries(types)).toEqual({
    memory_size: ['aws_lambda_function'],
    retention_in_days: ['aws_cloudwatch_log_group', 'aws_dynamodb_table', 'aws_iam_role'],
    table_class: ['aws_dynamodb_table'],
    vpc_config: ['aws_iam_role', 'aws_lambda_function'],
  });
});
