import { textFlag, wrong } from '../../cli/command.ts';
import { count } from '../../cli/dashboard/words.ts';
import { oneOf } from '../../expiry/fields.ts';
import { ALL_FAULTS, FAULT_GROUPS, type FaultGroup } from '../fuzz/faults.ts';
import { runOnce, type SubRun } from '../fuzz/run.ts';
import { VARIANTS } from '../fuzz/variants.ts';
import { describeViolations, type Violation } from '../ledger/ledger.ts';
import { lagPercentiles } from '../report/numbers.ts';
import { defineExperiment, seed, wholeNumber } from './support/experiment.ts';

const FLAGS = {
  seed: seed('repeats the runs of this seed (default: another one each time)'),
  items: {
    ...wholeNumber(1, 100_000_000, 'items of all variants together, about as many of each'),
    default: 1_000_000,
  },
  minutes: {
    ...wholeNumber(1, 60, 'how long the items of a run keep expiring, on the virtual clock'),
    default: 3,
  },
  variant: {
    help: 'this variant only, with all the items',
    kind: oneOf(VARIANTS.map(({ name }) => name)),
    value: 'NAME',
  },
  faults: {
    ...textFlag('NAMES', 'names of faults', 'what goes wrong: any of the list below, or none'),
    default: ALL_FAULTS.join(),
  },
} as const;

function readFaults(text: string): FaultGroup[] {
  if (text === 'none') return [];
  const names = text.split(',');
  const other = names.find(name => !Object.hasOwn(FAULT_GROUPS, name));
  if (other === undefined) return names as FaultGroup[];
  throw wrong('--faults', `none, or some of ${ALL_FAULTS.join(',')}`, other, 'Correct it.');
}

function cells({ name, items, deleted, lateP99Ms, faults, violations }: VariantResult): string[] {
  const late = lateP99Ms === null ? '' : `${(lateP99Ms / 1000).toFixed(1)} s`;
  return [name, count(items), count(deleted), late, count(faults), count(violations.length)];
}

/** Formats a line. The column widths are fixed, because each line is printed before the next line is known. */
function row([name = '', ...numbers]: readonly string[]): string {
  return [name.padEnd(24), ...numbers.map(text => text.padStart(11))].join('');
}

const SHOWN = 3;

function problemsOf({ name, violations, failing }: VariantResult): string[] {
  if (failing === undefined) return [];
  const { seed, items, minutes, faults } = failing;
  const flags = `--variant ${name} --seed ${seed} --items ${items} --minutes ${minutes}`;
  const shown = violations
    .slice(0, SHOWN)
    .flatMap(({ finding, id, history }) => [`  ${finding}: ${id}`, ...history.map(line => `    ${line}`)]);
  return [
    [
      `${name}: ${describeViolations(violations).join('; ')}`,
      `  repeat: npm run bench fuzz -- ${flags} --faults ${faults.join() || 'none'}`,
      ...shown,
    ].join('\n'),
  ];
}

export default defineExperiment({
  name: 'fuzz',
  flags: FLAGS,
  about: `
Lets the sweep run against an oracle, in this process and on a virtual clock: the real functions with the AWS SDK's clients, and
the real state machine, around a DynamoDB and pipes in memory. A run has two to four tables. The oracle has the history of each item as
DynamoDB saw it. It judges by that alone: no live item deleted, none before its expiry, none of a paused table, none late when nothing
was wrong, none left by the ticks minutes after the last fault, every expiry passed on by OnlyExpiries and delivered by each pipe, no
user's delete delivered, and every report as the answers were.

A variant runs with up to 10,000 items at a time, each run with another seed. At the first run with violations it stops, and prints the
command that repeats it. Fewer --items and --faults may show the same.

Variants: ${VARIANTS.map(({ name }) => name).join(', ')}.

What goes wrong:
${Object.entries(FAULT_GROUPS)
  .map(([name, what]) => `  ${name.padEnd(10)} ${what}`)
  .join('\n')}`,
  holds: 'no violation',
  async run({ flags: { seed: chosen, items, minutes, variant, faults }, print }) {
    const variants = VARIANTS.filter(({ name }) => variant === undefined || name === variant);
    const groups = readFaults(faults);
    const first = chosen ?? Math.floor(Math.random() * 1_000_000_000);
    const startedAt = performance.now();
    const each = Math.ceil(items / variants.length);
    print(`Seed ${first}: ${count(each)} items of each of ${variants.length} variants`);
    print(row(['variant', 'items', 'deleted', 'late p99', 'faults', 'violations']));
    const results: VariantResult[] = [];
    for (const [index, one] of variants.entries()) {
      // Each variant gets another scenario, because long outages and many faults take several times as long as others.
      const seed = first + index * SEEDS_OF_VARIANT;
      const result = await fuzzVariant({ variant: one, seed, items: each, minutes, faults: groups });
      results.push(result);
      print(row(cells(result)));
    }
    const total = (field: 'items' | 'deleted') => results.reduce((sum, result) => sum + result[field], 0);
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    return {
      text: `${count(total('items'))} items, ${count(total('deleted'))} deleted, in ${count(seconds)} s`,
      data: {
        seed: first,
        variants: results.map(({ failing: _failing, ...result }) => result),
      },
      problems: results.flatMap(problemsOf),
    };
  },
});

/** Maximum number of items in the tables of one run. */
const SUB_RUN_ITEMS = 10_000;

/** Difference between the first seeds of two variants: more than a variant has runs. */
const SEEDS_OF_VARIANT = 1_000;

type VariantResult = Awaited<ReturnType<typeof fuzzVariant>>;

async function fuzzVariant(given: SubRun) {
  const lags: number[] = [];
  const counts = { items: 0, deleted: 0, faults: 0 };
  let violations: readonly Violation[] = [];
  let run = given;
  for (let number = 0; counts.items < given.items && violations.length === 0; number += 1) {
    run = { ...given, seed: given.seed + number, items: Math.min(SUB_RUN_ITEMS, given.items - counts.items) };
    const result = await runOnce(run);
    violations = result.violations;
    counts.items += run.items;
    counts.deleted += result.deleted;
    counts.faults += [...result.faults.values()].reduce((sum, times) => sum + times, 0);
    for (const lag of result.lags) lags.push(lag);
  }
  const failing = violations.length > 0 ? run : undefined;
  return { name: given.variant.name, ...counts, lateP99Ms: lagPercentiles(lags).p99, violations, failing };
}
