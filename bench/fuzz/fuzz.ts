import type { Finding, Violation } from '../ledger/verdict.ts';
import { lagPercentiles } from '../report/numbers.ts';
import { runOnce, type SubRun } from './run.ts';

/** Number of items in one run, in the tables of one deployment within some minutes. */
const SUB_RUN_ITEMS = 10_000;

export interface VariantResult {
  readonly name: string;
  readonly items: number;
  readonly deleted: number;
  readonly lateP99Ms: number | null;
  /** Number of injected faults by kind. */
  readonly faults: ReadonlyMap<string, number>;
  readonly violations: readonly Violation[];
  /** The first run with violations, and the smallest run found that has some; undefined when there are none. */
  readonly failing: Failing | undefined;
}

export interface Failing {
  readonly run: SubRun;
  readonly smallest: SubRun;
  /** Violations of the smallest failing run. */
  readonly violations: readonly Violation[];
}

/**
 * Fuzzes a variant, in runs of some thousand items, each with the next seed. It stops after a run with violations.
 */
export async function fuzzVariant(given: SubRun): Promise<VariantResult> {
  const counts = new Map<string, number>();
  const lags: number[] = [];
  let items = 0;
  let deleted = 0;
  for (let number = 0; items < given.items; number += 1) {
    const seed = given.seed + number;
    const run = { ...given, seed, items: Math.min(SUB_RUN_ITEMS, given.items - items) };
    const result = await runOnce(run);
    items += run.items;
    deleted += result.deleted;
    for (const lag of result.lags) lags.push(lag);
    for (const [what, count] of result.faults) counts.set(what, (counts.get(what) ?? 0) + count);
    const { violations } = result;
    if (violations.length > 0) {
      return { ...summary(), violations, failing: await failingOf(run, violations) };
    }
  }
  return { ...summary(), violations: [], failing: undefined };

  function summary() {
    const lateP99Ms = lagPercentiles(lags).p99;
    return { name: given.variant.name, items, deleted, lateP99Ms, faults: counts };
  }
}

/** Finds a smaller run with the same failure: one in which one of the original violations occurs again. */
async function failingOf(run: SubRun, found: readonly Violation[]): Promise<Failing> {
  const findings = new Set<Finding>(found.map(({ finding }) => finding));
  let known = found;
  const small = await smallest(run, async smaller => {
    const { violations } = await runOnce(smaller);
    const failed = violations.some(({ finding }) => findings.has(finding));
    if (failed) known = violations;
    return failed;
  });
  return { run, smallest: small, violations: known };
}

/** Largest number of reruns: each takes at most as long as the original run. */
const MAX_RERUNS = 24;

/**
 * Finds a smaller run that still fails: it leaves out groups of faults that are not needed, and halves the items while the run fails.
 * Returns the run itself when no smaller one fails.
 */
export async function smallest(run: SubRun, fails: (smaller: SubRun) => Promise<boolean>): Promise<SubRun> {
  let known = run;
  let left = MAX_RERUNS;
  const tryIt = async (smaller: SubRun) => {
    left -= 1;
    const failed = left >= 0 && (await fails(smaller));
    if (failed) known = smaller;
    return failed;
  };
  if (!(await tryIt({ ...run, faults: [] }))) {
    for (const group of run.faults) {
      await tryIt({ ...known, faults: known.faults.filter(each => each !== group) });
    }
  }
  while (known.items > 1 && (await tryIt({ ...known, items: Math.ceil(known.items / 2) })));
  return known;
}
