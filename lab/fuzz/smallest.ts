import type { SubRun } from './run.ts';

/** Reruns at the most: each takes as long as the run that it is made from, or less. */
const MAX_RERUNS = 16;

/**
 * A smaller run that still fails: without the groups of faults that it does not need, and with half as many items as long as that
 * fails. The run itself when none does.
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
