import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateCases } from './cases.ts';
import { LANGUAGES, lacking, run } from './toolchains.ts';

// The functions in docs/files make what expiryAttributes makes.

const SEED = Math.floor(Math.random() * 2 ** 31);
const cases = generateCases(1000, SEED);
const input = cases.map(({ model, ttl, item }) => `${JSON.stringify({ model, ttl, item })}\n`).join('');

test('the cases are not all alike', () => {
  const granularities = new Set(cases.map(({ model }) => model.granularityMinutes));
  const types = cases.flatMap(({ item }) => Object.values(item).flatMap(value => Object.keys(value)));
  const suffixes = new Set(
    cases.map(({ expected }) => /#(\d+)$/.exec(String(expected['expirationWindow']))?.[1]),
  );
  expect(granularities.size).toBeGreaterThan(30);
  expect(new Set(types)).toEqual(new Set(['S', 'N', 'B']));
  expect(suffixes.size).toBeGreaterThan(50);
});

for (const language of LANGUAGES) {
  const missing = lacking(language);
  if (missing.length > 0) console.warn(`${language.name} is skipped: it needs ${missing.join(', ')}.`);
  (missing.length > 0 ? test.skip : test)(`${language.name}, over ${cases.length} cases`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-language-'));
    try {
      const output = run(folder, language.make(folder), input).trimEnd().split('\n');
      expect(output).toHaveLength(cases.length);
      const others = cases
        .map((one, index) => ({ ...one, got: JSON.parse(output[index] ?? '') }))
        .filter(({ expected, got }) => !sameAttributes(expected, got));
      expect({ seed: SEED, wrong: others.length, first: others[0] }).toEqual({ seed: SEED, wrong: 0 });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

function sameAttributes(expected: object, got: object): boolean {
  const sorted = (attributes: object) => JSON.stringify(Object.entries(attributes).sort());
  return sorted(expected) === sorted(got);
}
