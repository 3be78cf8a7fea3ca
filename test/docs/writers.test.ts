import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NumberValue } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { expiryAttributes } from '../../expiry/attributes.ts';
import { type ExpiryModelProps, expiryModel, MAX_SHARDS } from '../../expiry/model.ts';
import { plainDecimal } from '../../expiry/plain-decimal.ts';
import { MINUTES_PER_DAY } from '../../expiry/window.ts';
import { anyCharacter } from '../support/any-character.ts';
import { codeBlocks } from '../support/code-blocks.ts';

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
  fc
    .string({ unit: anyCharacter, minLength: 1, maxLength: 40 })
    .map(text => ({ text: `S:${text}`, plain: text as unknown })),
  fc
    .oneof(
      fc.integer(),
      fc.double({ noNaN: true, min: -1e125, max: 1e125 }),
      fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n }),
      fc.constantFrom(-0, 1e21, 1e-7),
      fc.constantFrom('1.50', '00042', '-0.0', '1E+3').map(text => NumberValue.from(text)),
    )
    .map(value => ({
      text: `N:${plainDecimal(value instanceof NumberValue ? value.value : String(value))}`,
      plain: value as unknown,
    })),
  fc
    .uint8Array({ minLength: 1, maxLength: 40 })
    .map(value => ({ text: `B:${Buffer.from(value).toString('base64')}`, plain: value as unknown })),
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
