import { setTimeout as sleep } from 'node:timers/promises';
import type { TableResource } from 'aws-on-loopback/dynamodb/table';
import { seededRandom } from 'stepfunctions-emulator';
import type { ExpiryModel } from '../../../expiry/model.ts';
import { LocalCloud, type LocalCloudOptions } from '../../../local/cloud.ts';
import { tableOf } from '../../../local/stack/table-of.ts';
import { CHUNK_KEYS } from '../../../statemachine/contract/limits.ts';
import type { Tally } from '../../ledger/tally.ts';
import { describeViolations } from '../../ledger/verdict.ts';
import { lagPercentiles } from '../../report/lag.ts';
import { count, timeOfDay } from '../../report/numbers.ts';
import type { Problems } from '../../report/problems.ts';
import type { Progress } from '../../report/progress.ts';
import { WatchedTable, type WatchedTableOptions } from '../../watch/watched-table.ts';
import { planStream, type StreamOptions } from '../../workload/plan.ts';
import { seconds } from './table.ts';

/** The surroundings of a run in real time. */
export interface Surroundings {
  readonly flags: { readonly minutes: number; readonly rate: number; readonly seed: number };
  readonly progress: Progress;
  readonly problems: Problems;
  readonly signal: AbortSignal;
}

/** A table with its writer and its observer. */
export interface LiveTable {
  readonly id: string;
  readonly watched: WatchedTable;
  readonly stream?: Pick<StreamOptions, 'life' | 'everySeconds'>;
}

/** Runs work with a cloud whose schedules and executions must not fail, and stops the cloud. */
export async function withCloud<T>(
  options: LocalCloudOptions,
  { problems, progress }: Surroundings,
  use: (cloud: LocalCloud) => Promise<T>,
): Promise<T> {
  const cloud = await LocalCloud.start({
    onScheduleError: (error, { schedule }) => problems.add(`${schedule.name} didn't start: ${error}`),
    onExecution: ({ machine: { name }, status, error, cause }) => {
      if (status === 'SUCCEEDED' || status === 'ABORTED') return;
      problems.add(`an execution of ${name} ended ${status}: ${error ?? 'no error name'}: ${cause ?? ''}`);
    },
    ...options,
  });
  try {
    return await use(cloud);
  } finally {
    progress.end();
    await cloud.stop();
  }
}

/** A local cloud whose own slowness does not affect the measurement. @param rate items per second */
export const measuredCloud = (rate: number) =>
  ({
    dynamoDbLocal: { longRun: true },
    // On Lambda functions start in parallel; on two cores the first second's items would wait for seconds.
    warm: Math.ceil(rate / CHUNK_KEYS),
    functions: { threads: { most: Number.POSITIVE_INFINITY } },
  }) as const;

export function watchTable(
  cloud: LocalCloud,
  table: TableResource | string,
  model: ExpiryModel,
  problems: Problems,
  more: Partial<WatchedTableOptions> = {},
): Promise<WatchedTable> {
  const resource = typeof table === 'string' ? tableOf(cloud.synthesized, table) : table;
  return WatchedTable.start({
    cloud,
    table: resource,
    model,
    prefix: `session-${Date.now().toString(36)}`,
    onError: error => problems.breakOff(`the stream of ${resource.name} couldn't be read: ${error}`),
    ...more,
  });
}

const MINUTE_MS = 60_000;
/** Time between planning and the first tick, milliseconds. */
const LEAD_MS = 5_000;

/**
 * Epoch second at which a run's first item may expire. The local schedules begin with the next minute, and a precise tick owns the minute
 * after the next, so the minute after that tick is the first that every mode sweeps.
 */
export function firstTtlOf(startMs: number): number {
  return (Math.ceil((startMs + LEAD_MS) / MINUTE_MS) * MINUTE_MS + MINUTE_MS) / 1000;
}

/** Time for the next tick, one more for missed items, and the sweep: later items are never deleted. */
export const MAX_WAIT_SECONDS = 150;
const CHECK_INTERVAL_MS = 1_000;
/** Time for deletions that are late by up to a second, milliseconds. */
const SETTLE_MS = 1_000;

/** Writes to all tables, with the same seed, and waits until expired items are deleted, up to a time limit. */
export async function liveThrough(
  tables: readonly LiveTable[],
  firstTtl: number,
  { flags: { minutes, rate, seed }, progress, problems, signal }: Surroundings,
  onCheck: (nowMs: number) => string = () => '',
): Promise<void> {
  const until = AbortSignal.any([signal, problems.broken]);
  const plan = { startMs: Date.now(), firstTtl, seconds: minutes * 60, rate };
  const writers = tables.map(({ id, watched, stream }) => {
    const { actions } = planStream({ ...plan, random: seededRandom(seed), ...stream });
    return watched.write(actions, until).catch(error => problems.breakOff(`${id}: writing failed: ${error}`));
  });
  progress.say(`Items in ${tables.length} tables; the first expire at ${timeOfDay(firstTtl * 1000)}.`);
  const lastMs = (firstTtl + Math.ceil(plan.seconds) - 1) * 1000;
  while (!until.aborted) {
    const now = Date.now();
    const states = tables.map(({ id, watched }) => {
      const { expired, overdue } = watched.ledger.tally(now);
      return `${id}: expired ${count(expired)}, overdue ${count(overdue)}`;
    });
    progress.show([...states, onCheck(now)].filter(Boolean).join('   '));
    const waited = now - lastMs;
    if (waited >= MAX_WAIT_SECONDS * 1000) break;
    if (waited >= SETTLE_MS && tables.every(({ watched }) => watched.ledger.tally(now).overdue === 0)) break;
    await sleep(CHECK_INTERVAL_MS, undefined, { signal: until }).catch(() => {});
  }
  await Promise.all(writers);
}

/** Compares the tables with their ledgers, unless the run was interrupted. */
export async function verifyTables(
  tables: readonly LiveTable[],
  { problems, signal }: Pick<Surroundings, 'problems' | 'signal'>,
): Promise<void> {
  if (signal.aborted || problems.broken.aborted) return;
  for (const { id, watched } of tables) {
    for (const sentence of describeViolations(await watched.verify())) problems.add(`${id}: ${sentence}`);
  }
}

/** Results of a table's items by its stream, whoever deleted them. Lags are from expiry to deletion, milliseconds. */
export function measured(
  { written, expired, deleted, overdue, liveDeleted }: Tally,
  lags: readonly number[],
) {
  return { written, expired, deleted, left: overdue, early: liveDeleted, lagMs: lagPercentiles(lags) };
}
export type Measured = ReturnType<typeof measured>;

/** Titles of {@link measuredCells}. */
export const MEASURED_HEAD = ['written', 'expired', 'deleted', 'left', 'early', 'p50, s', 'p99, s', 'max, s'];

export function measuredCells({ written, expired, deleted, left, early, lagMs }: Measured): string[] {
  return [
    ...[written, expired, deleted, left, early].map(count),
    ...[lagMs.p50, lagMs.p99, lagMs.max].map(seconds),
  ];
}
