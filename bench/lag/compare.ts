import { seededRandom } from 'stepfunctions-emulator';
import { describeViolations } from '../../lab/ledger/verdict.ts';
import { count, timeOfDay } from '../../lab/report/numbers.ts';
import { Problems } from '../../lab/report/problems.ts';
import { type Output, Progress } from '../../lab/report/progress.ts';
import type { WatchedTable } from '../../lab/watch/watched-table.ts';
import { planStream } from '../../lab/workload/plan.ts';
import { LocalCloud } from '../../local/cloud.ts';
import { plainStack } from '../../stacks/plain-stack.ts';
import { measuredCloud } from '../live/cloud-options.ts';
import { firstTtlOf } from '../live/first-ttl.ts';
import { thisMachine } from '../live/machine.ts';
import { MAX_WAIT_SECONDS, untilGone } from '../live/until-gone.ts';
import { warmUp } from '../live/warm-up.ts';
import { everyMinute } from './every-minute.ts';
import { type LagResult, MODES, type Mode, type ModeResult, modeResult } from './result.ts';
import { makeWarmUpTable, publishedSweep, SWEPT_TABLES, watchTables } from './tables.ts';

export interface CompareOptions {
  readonly modes: readonly Mode[];
  /** Minutes during which items expire. */
  readonly minutes: number;
  /** Items per second and table. */
  readonly rate: number;
  readonly seed: number;
  readonly output: Output;
  /** Ends the run early. */
  readonly signal: AbortSignal;
}

export interface Comparison {
  readonly result: LagResult;
  /** What was promised and not kept, or why the numbers must not be trusted; a sentence each. */
  readonly problems: readonly string[];
}

type Watched = readonly (readonly [Mode, WatchedTable])[];

/**
 * Runs the same stream of items through the modes at once, in real time, on one DynamoDB Local.
 *
 * @throws {LocalCloudError} when the local cloud can't be started
 */
export async function compareLag(options: CompareOptions): Promise<Comparison> {
  const { minutes, rate, seed } = options;
  const machine = thisMachine();
  const progress = new Progress(options.output);
  const problems = new Problems(progress);
  const stack = plainStack({ region: 'us-east-1', tables: SWEPT_TABLES });
  const cloud = await LocalCloud.start({ stack, observe: true, ...measuredCloud(rate, problems) });
  try {
    await warmUp(cloud.client, await makeWarmUpTable(cloud));
    const startMs = Date.now();
    const watched = await watchTables(options.modes, cloud, `session-${startMs.toString(36)}`, problems);
    try {
      await live(cloud, watched, startMs, options, progress, problems);
    } finally {
      for (const [, table] of watched) await table.stop();
    }
    const now = Date.now();
    const modes = watched.map(([mode, { ledger }]) => modeResult(mode, ledger.tally(now), ledger.lags));
    if (!options.signal.aborted && !problems.broken.aborted) await judge(watched, modes, problems);
    const settings = { minutes, rate, seed, waitedSeconds: MAX_WAIT_SECONDS };
    return { result: { settings, machine, modes }, problems: problems.found };
  } finally {
    progress.end();
    await cloud.stop();
  }
}

/** Writes to all tables by one plan, and waits for what expires to go. */
async function live(
  cloud: LocalCloud,
  watched: Watched,
  startMs: number,
  { minutes, rate, seed, signal }: CompareOptions,
  progress: Progress,
  problems: Problems,
): Promise<void> {
  const published = watched.some(([mode]) => mode === 'published');
  const endPublished = everyMinute(published ? publishedSweep(cloud) : async () => {}, error =>
    problems.add(`the published algorithm failed: ${error}`),
  );
  try {
    const firstTtl = firstTtlOf(startMs);
    const random = seededRandom(seed);
    const { actions, lastTtl } = planStream({ startMs, firstTtl, seconds: minutes * 60, rate, random });
    progress.say(
      `${count(actions.length)} items in each of ${watched.length} tables; the first expire at ${timeOfDay(firstTtl * 1000)}.`,
    );
    const until = AbortSignal.any([signal, problems.broken]);
    const writers = watched.map(([mode, table]) =>
      table
        .write(actions, until)
        .catch(error => problems.breakOff(`${MODES[mode]}: writing failed: ${error}`)),
    );
    await untilGone({
      ledgers: watched.map(([, { ledger }]) => ledger),
      lastTtl,
      signal: until,
      onCheck: now => progress.show(describe(watched, now)),
    });
    await Promise.all(writers);
  } finally {
    cloud.pauseSchedules();
    await endPublished();
  }
}

/** What the published algorithm leaves behind is what is measured; what ours leaves is a failure. */
async function judge(watched: Watched, modes: readonly ModeResult[], problems: Problems): Promise<void> {
  for (const [mode, table] of watched) {
    if (mode === 'published') continue;
    for (const sentence of describeViolations(await table.verify()))
      problems.add(`${MODES[mode]}: ${sentence}`);
  }
  const early = modes.find(({ mode }) => mode === 'published')?.early ?? 0;
  if (early > 0) problems.add(`${MODES.published}: ${count(early)} items deleted before they expired`);
}

function describe(watched: Watched, nowMs: number): string {
  const parts = watched.map(([mode, { ledger }]) => {
    const { expired, overdue } = ledger.tally(nowMs);
    return `${mode}: expired ${count(expired)}, overdue ${count(overdue)}`;
  });
  return parts.join('   ');
}
