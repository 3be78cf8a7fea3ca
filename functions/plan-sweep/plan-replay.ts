import type { ChildSweep, SweepTarget } from '../../statemachine/contract/child.ts';
import type { PlanSweepInput, PlanSweepOutput, TableSweep } from '../../statemachine/contract/execution.ts';
import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';
import {
  MAX_CHILD_SECONDS,
  MAX_ROUNDS,
  REPLAY_CONCURRENCY,
  RESULTS_BYTES,
  ROUND_CHILDREN,
} from '../../statemachine/contract/limits.ts';
import { shardResultOf } from '../child/shard-result.ts';
import type { Journal } from '../journal/lambda-journal.ts';
import { addRound, startTotals } from '../report/sweep-totals.ts';
import { readSettings } from '../runtime/environment.ts';
import { InvalidExecutionInputError } from '../runtime/errors.ts';
import { indexLayout } from '../table/index-layout.ts';
import { cutSpan, resultLimits, startOf } from './children.ts';
import { type ReplayRequest, readReplayInput, tablesOfInput } from './sweep-input.ts';

const LEAST_PART_SECONDS = 60;

/**
 * Plans a round of a replay. Each round after the first sweeps what the children of the previous round had no time for.
 * @throws InvalidExecutionInputError, InvalidSettingsError, JournalUnreadableError
 */
export async function planReplay(
  { tables, executionInput, startedAt, soFar }: PlanSweepInput,
  journal: Pick<Journal, 'read'>,
): Promise<PlanSweepOutput> {
  const carried = chosenTable(tables, executionInput);
  const { tableName } = carried;
  const before = soFar?.sweeps[tableName];
  const settings = readSettings(before?.settings ?? carried);
  const request = readReplayInput(executionInput, Date.parse(startedAt), settings);
  const totals = before && soFar ? addRound(before, soFar) : startTotals(request.dryRun);
  const targets =
    before && soFar
      ? soFar.results.flatMap(result => shardResultOf(result)?.resume ?? [])
      : await firstTargets(request, tableName, indexLayout(settings.model).shards, journal);
  const isOver = totals.rounds >= MAX_ROUNDS;
  const limits = resultLimits(Math.floor(RESULTS_BYTES / Math.max(1, targets.length)));
  const due = (isOver ? [] : targets).map(target =>
    startOf(tableName, null, settings.marginSeconds, {
      ...{ target, dryRun: request.dryRun, endsAfter: MAX_CHILD_SECONDS, note: null },
      ...{ limit: limitOf(request, targets.length), ...limits },
    }),
  );
  const left = isOver ? targets.length : 0;
  const sweep: TableSweep = {
    settings: before?.settings ?? carried,
    targets: due.length,
    oldestOverdueSeconds: 0,
    totals: { ...totals, rounds: totals.rounds + 1, shardsFailed: totals.shardsFailed + left },
  };
  const next = due.length > 0 ? 'sweep' : 'record';
  return { next, groups: [], due, results: [], sweeps: { [tableName]: sweep } };
}

/** Targets of the first round: in all shards that the table ever had, because old items may be in former shards. */
async function firstTargets(
  { from, before }: ReplayRequest,
  table: string,
  shards: number,
  journal: Pick<Journal, 'read'>,
): Promise<SweepTarget[]> {
  if (before <= from) return [];
  const { watermarks } = await journal.read();
  const all = Array.from(
    { length: Math.max(shards, watermarks.tables[table]?.shards ?? 1) },
    (_unused, shard) => shard,
  );
  return cutSpan({ from, before }, all, ROUND_CHILDREN, LEAST_PART_SECONDS).flat();
}

function limitOf({ perSecond }: ReplayRequest, children: number): ChildSweep['limit'] {
  if (perSecond === 0) return null;
  const share = perSecond / Math.min(REPLAY_CONCURRENCY, children);
  return { perSecond: share, credit: Math.max(1, Math.floor(share)), before: null };
}

function chosenTable(tables: readonly CarriedSettings[], executionInput: unknown): CarriedSettings {
  const names = tables.map(({ tableName }) => tableName);
  const [only, ...more] = tablesOfInput(executionInput, names) ?? names;
  const chosen = tables.find(({ tableName }) => tableName === only);
  if (chosen !== undefined && more.length === 0) return chosen;
  throw new InvalidExecutionInputError({
    field: 'table',
    expected: `one of ${names.join(', ')}`,
    got: undefined,
    remedy:
      'Say which table to sweep: {"table": "<name>", "from": "<time>", "to": "<time>"}. Nothing was swept.',
  });
}
