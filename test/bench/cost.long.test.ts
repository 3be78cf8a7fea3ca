import { readFileSync } from 'node:fs';
import { measureLogBytes } from '../../bench/cost/log-lines.ts';
import { type CostProps, costOfLookingBack, costOfMonth, type MonthlyCost } from '../../bench/cost/month.ts';
import { billedTable } from '../../cli/cost/billed-deployments.ts';
import { LOG_BYTES } from '../../cost/measured.ts';
import { PRICES } from '../../cost/prices.ts';
import { reconcilesOfMonth, type SweepUsage, ticksOfMonth } from '../../cost/sweep-usage.ts';
import { resolveProps } from '../../stacks/props.ts';

const months = new Map<string, Promise<MonthlyCost>>();

/** Each is run once. */
function month(itemsPerMinute: number, props: CostProps): Promise<MonthlyCost> {
  const key = JSON.stringify([itemsPerMinute, props]);
  const made = months.get(key) ?? costOfMonth(itemsPerMinute, props);
  months.set(key, made);
  return made;
}

type Part = keyof MonthlyCost['ticks']['parts'] & keyof SweepUsage;
const PARTS = (Object.keys(PRICES) as (keyof typeof PRICES)[]).filter(name => name !== 'dynamoDbWriteUnits');

/** Where little is paid for, a cent is nothing. */
const TOLERANCE = { share: 0.02, dollars: 0.03 };

test.each([
  [0, { indexedBy: 'window' }],
  [0, { indexedBy: 'second' }],
  [100, { indexedBy: 'window' }],
  [100, { indexedBy: 'second' }],
  [100, { indexedBy: 'window', precisionSeconds: 60 }],
  [5, { indexedBy: 'window', pollSeconds: 5 }],
  [6, { indexedBy: 'window', shards: 2 }],
  [5, { indexedBy: 'second', pollSeconds: 0 }],
] as const)(
  'what the calculator counts is what the real definition takes: %d a minute, %j',
  async (rate, props) => {
    const { ticks, reconcile } = await month(rate, props);
    const load = { itemsPerMonth: 0, itemBytes: 400, renewalsPerItem: 0, lifetimeHours: 24 };
    const table = billedTable(resolveProps({ tableName: 'SessionData', partitionKey: 'id', ...props }), load);
    for (const [measured, counted] of [
      [ticks, ticksOfMonth(table, rate)],
      [reconcile, reconcilesOfMonth(table)],
    ] as const) {
      for (const part of PARTS as Part[]) {
        const [real, ours] = [measured.parts[part], counted[part] * PRICES[part]];
        const off = Math.abs(ours - real);
        expect({
          part,
          real,
          ours,
          isClose: off <= TOLERANCE.dollars + TOLERANCE.share * real,
        }).toMatchObject({
          isClose: true,
        });
      }
    }
  },
);

test('the calculator knows the bytes of the log lines, to a tenth: npm run bench:cost -- --write', async () => {
  const { idle, planned, swept, metrics } = await measureLogBytes();
  expect(idle).toBe(0);
  const known = [LOG_BYTES.planned, LOG_BYTES.swept, LOG_BYTES.metrics.all, LOG_BYTES.metrics.essential];
  const ratios = [planned, swept, metrics.all, metrics.essential].map(
    (bytes, line) => bytes / (known[line] ?? 0),
  );
  expect(Math.min(...ratios)).toBeGreaterThan(0.9);
  expect(Math.max(...ratios)).toBeLessThan(1.1);
});

test('by second, the lookback and the reconcile cost at most a dollar a month by default', async () => {
  const dollars = await costOfLookingBack('second');
  expect(dollars).toBeLessThanOrEqual(1);
  // 120 seconds a tick, half a read unit each, are the least.
  expect(dollars).toBeGreaterThan((120 * 43_200 * 0.5 * 0.125) / 1e6);
});

test('a function that probes seconds costs its time', async () => {
  const functionsOf = async (indexedBy: 'window' | 'second') => {
    const { reconcile } = await month(0, { indexedBy });
    return reconcile.parts.functionGbSeconds / reconcile.parts.dynamoDbReadUnits;
  };
  // The processor answers a probe every three milliseconds, whatever the probe is of.
  expect((await functionsOf('second')) / (await functionsOf('window'))).toBeCloseTo(1, 1);
});

test.each(['window', 'second'] as const)(
  'the documents have what an idle table costs: by %s',
  async indexedBy => {
    const { ticks, reconcile } = await month(0, { indexedBy });
    const dollars = (ticks.total + reconcile.total).toFixed(2);
    const rows = readFileSync('docs/cost.md', 'utf8')
      .split('\n')
      .filter(line => line.startsWith(`| 0 | ${indexedBy} | \`precisionSeconds: 1\` (default) |`));
    expect(rows).toEqual([expect.stringMatching(new RegExp(`\\| \\*\\*${dollars}\\*\\* \\|$`))]);
    expect(readFileSync('README.md', 'utf8')).toContain(`$${dollars}`);
    expect(readFileSync('docs/indexes.md', 'utf8')).toContain(`| by ${indexedBy} | $${dollars} |`);
  },
);
