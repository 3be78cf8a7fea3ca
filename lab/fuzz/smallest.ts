import type { SubRun } from './run.ts';

/** Largest number of reruns: each takes at most as long as the original run. */
const MAX_RERUNS = 16;

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
