import { readFileSync } from 'node:fs';
import { costOfLookingBack, costOfMonth } from '../../bench/cost/month.ts';

test('by second, the lookback and the reconcile cost at most a dollar a month by default', async () => {
  const dollars = await costOfLookingBack('second');
  expect(dollars).toBeLessThanOrEqual(1);
  // 120 seconds a tick, half a read unit each, are the least.
  expect(dollars).toBeGreaterThan((120 * 43_200 * 0.5 * 0.125) / 1e6);
});

test('a function that probes seconds costs its time', async () => {
  const functionsOf = async (indexedBy: 'window' | 'second') => {
    const { reconcile } = await costOfMonth(0, { indexedBy });
    return reconcile.parts.functionGbSeconds / reconcile.parts.dynamoDbReadUnits;
  };
  // The processor answers a probe every three milliseconds, whatever the probe is of.
  expect((await functionsOf('second')) / (await functionsOf('window'))).toBeCloseTo(1, 1);
});

test.each(['window', 'second'] as const)(
  'the documents have what an idle table costs: by %s',
  async indexedBy => {
    const { ticks, reconcile } = await costOfMonth(0, { indexedBy });
    const dollars = (ticks.total + reconcile.total).toFixed(2);
    const rows = readFileSync('docs/cost.md', 'utf8')
      .split('\n')
      .filter(line => line.startsWith(`| 0 | ${indexedBy} | \`precisionSeconds: 1\` (default) |`));
    expect(rows).toEqual([expect.stringMatching(new RegExp(`\\| \\*\\*${dollars}\\*\\* \\|$`))]);
    expect(readFileSync('README.md', 'utf8')).toContain(`$${dollars}`);
    expect(readFileSync('docs/indexes.md', 'utf8')).toContain(`| by ${indexedBy} | $${dollars} |`);
  },
);
