import type { Violation } from '../ledger/verdict.ts';
import { lagPercentiles } from '../report/numbers.ts';
import { runOnce, type SubRun } from './run.ts';

/** Number of items in one run, in the tables of one deployment within some minutes. */
const SUB_RUN_ITEMS = 10_000;

export interface VariantResult {
  readonly name: string;
  readonly items: number;
  readonly deleted: number;
  readonly lateP99Ms: number | null;
  readonly faults: number;
  readonly violations: readonly Violation[];
  readonly failing: SubRun | undefined;
}

/** Fuzzes a variant, in runs of up to 10,000 items. Each run has the next seed. Stops after a run with violations. */
export async function fuzzVariant(given: SubRun): Promise<VariantResult> {
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
