import {
  advanced,
  type DeploymentState,
  type Pause,
  pauseOf,
  type Watermark,
} from '../../functions/journal/layout.ts';
import { readState } from '../../functions/journal/read-state.ts';
import { JournalUnreadableError } from '../../functions/runtime/errors.ts';
import { JournalNotFoundError } from '../errors.ts';
import { type DeploymentJournal, inJournal, journalArn } from '../journals.ts';
import { type RowQuery, readRows } from '../sweep-rows.ts';
import { type Checked, check } from './check.ts';
import { type Sweep, sweepOf } from './sweep.ts';

/** The journal's records about a table. */
export interface SeenJournal {
  /** Time of the last tick that planned. */
  readonly tick: Date | undefined;
  readonly watermark: Watermark | undefined;
  /** The pause, until it ends. */
  readonly pause: Pause | undefined;
  /** Sweeps that deleted or left something, newest first. */
  readonly last: readonly Sweep[];
  /** The newest sweep that left something, if there was one in the last hour. */
  readonly failures: readonly Sweep[];
}

/** Age up to which a failure is reported, milliseconds. */
const FAILURE_MS = 60 * 60 * 1000;

/** Executions that are read, whether they failed or not. */
const LAST = 10;

/** A failing sweep writes a record at each tick: without one for this long it counts as recovered, milliseconds. */
const FAILING_MS = 5 * 60 * 1000;

/** Reads a deployment's journal for all its tables; undefined if the journal does not exist. */
export async function observeState(
  journal: DeploymentJournal,
): Promise<Checked<DeploymentState | undefined>> {
  return asked(journal, () => readState(journal));
}

/** Reads the journal's records about a table. @param now epoch milliseconds */
export async function observeTable(
  journal: DeploymentJournal,
  state: Checked<DeploymentState | undefined>,
  tableName: string,
  now: number,
): Promise<Checked<SeenJournal | undefined>> {
  if ('notChecked' in state || state.seen === undefined) return state as Checked<undefined>;
  const { seen } = state;
  const rows = await asked(journal, async () => ({
    last: await newestSweeps(journal, tableName, LAST, { pageRows: LAST }),
    failures: await newestSweeps(journal, tableName, 1, {
      from: new Date(now - FAILURE_MS).toISOString(),
      failed: true,
    }),
  }));
  if ('notChecked' in rows || rows.seen === undefined) return rows as Checked<undefined>;
  const { control, watermarks } = seen;
  const watermark = watermarks.tables[tableName];
  return {
    seen: {
      tick: watermarks.tick === undefined ? undefined : new Date(watermarks.tick),
      watermark: watermark && advanced(watermark),
      pause: pauseOf(control.pauses[tableName], now),
      last: rows.seen.last,
      failures: rows.seen.failures,
    },
  };
}

/** Longest normal time since a tick planned; one starts every minute. */
const STALE_MS = 10 * 60 * 1000;

/**
 * Whether the ticks have stopped or never started. They also run while all tables are paused.
 *
 * @param createdAt when the first tick was possible; undefined if not known
 * @param now epoch milliseconds
 */
export function isStale(
  { tick }: Pick<SeenJournal, 'tick'>,
  createdAt: Date | undefined,
  now: number,
): boolean {
  const since = tick ?? createdAt;
  return since === undefined || now - since.getTime() > STALE_MS;
}

/** Whether the newest sweep left items, and no later tick shows that the sweep has recovered. */
export function isFailing({ tick, last: [newest] }: Pick<SeenJournal, 'tick' | 'last'>): boolean {
  if (newest?.status !== 'FAILED') return false;
  return tick === undefined || tick.getTime() - newest.stoppedAt.getTime() < FAILING_MS;
}

/**
 * The newest sweeps of a table, newest first.
 *
 * @param signal ends the reading; the sweeps read so far are returned
 */
export async function newestSweeps(
  journal: DeploymentJournal,
  tableName: string,
  most: number,
  query: RowQuery,
  signal?: AbortSignal,
): Promise<Sweep[]> {
  const sweeps: Sweep[] = [];
  for await (const row of readRows(journal, tableName, { ...query, first: 'latest' })) {
    if (signal?.aborted) break;
    sweeps.push(sweepOf(row));
    if (sweeps.length === most) break;
  }
  return sweeps;
}

/** Reads a journal. A failed request is a result too; undefined stands for a missing journal. */
export async function asked<Seen>(
  journal: DeploymentJournal,
  call: () => Promise<Seen>,
): Promise<Checked<Seen | undefined>> {
  try {
    return await check('dynamodb:Query', journalArn(journal), () =>
      inJournal('dynamodb:Query', journal, call),
    );
  } catch (error) {
    if (error instanceof JournalNotFoundError) return { seen: undefined };
    if (error instanceof JournalUnreadableError) {
      return { notChecked: { reason: error.message, isLocal: false } };
    }
    throw error;
  }
}
