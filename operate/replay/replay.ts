import { replayName } from '../../config/names.ts';
import { resolveProps } from '../../config/props.ts';
import type { With } from '../aws/clients.ts';
import { type Executions, executionsOf } from '../aws/executions.ts';
import { findStateMachines } from '../aws/state-machines.ts';
import type { PieceResult, ReplayFacts, ReplayOptions, ReplayResult } from '../changes.ts';
import { inParallel } from '../in-parallel.ts';
import type { Prepared } from '../prepared.ts';
import { StoppedError } from '../stopped-error.ts';
import { runPiece } from './run-piece.ts';
import { replaySettings } from './settings.ts';
import type { Span } from './span.ts';
import { addTotals, NO_TOTALS, WRITE_UNITS_PER_ITEM } from './totals.ts';

interface Task {
  readonly piece: Span;
  readonly tableName: string;
  readonly executions: Executions;
  readonly maxDeletesPerSecond: number | undefined;
}

/**
 * Prepares the replay of a span: cuts it into executions of the deployed state machines. Completed executions are not started
 * again.
 *
 * @throws {InputError} before any request to AWS; {StateMachineNotFoundError}, or the SDK's error. When applied, {StoppedError}
 */
export async function prepareReplay(
  options: ReplayOptions & With<'sfn' | 'where'>,
): Promise<Prepared<ReplayFacts, ReplayResult>> {
  const { clients, dryRun = false, onPiece, now = Date.now, signal = new AbortController().signal } = options;
  const { pieces, tables, ...settings } = replaySettings(options, now());
  const { span, label } = settings;
  const swept = tables.map(({ props, maxDeletesPerSecond }) => ({
    tableName: props.tableName,
    stateMachine: replayName(resolveProps(props).sweep),
    maxDeletesPerSecond,
  }));
  const names = swept.map(({ stateMachine }) => stateMachine);
  const arns = await findStateMachines(clients.sfn, names, clients.where);
  const tasks = swept.flatMap(({ tableName, stateMachine, maxDeletesPerSecond }): Task[] => {
    const executions = executionsOf(clients.sfn, arns.get(stateMachine) ?? '');
    return pieces.map(piece => ({ piece, tableName, executions, maxDeletesPerSecond }));
  });
  return {
    facts: { ...settings, tables: swept, executions: tasks.length },
    async apply() {
      const results: PieceResult[] = [];
      const work = async ({ executions, ...task }: Task, stop: AbortSignal) => {
        const result = await runPiece({ ...task, dryRun, label }, executions, stop);
        results.push(result);
        onPiece?.(result, results.length, tasks.length);
      };
      const sumUp = () => resultOf({ span, dryRun, label, planned: tasks.length, results });
      try {
        await inParallel(tasks, settings.concurrency, work, signal);
      } catch (error) {
        throw new StoppedError(sumUp(), error);
      }
      return sumUp();
    },
  };
}

/** The end of a replay. */
export function replayEnd({ interrupted, executions }: ReplayResult): 'done' | 'failed' | 'interrupted' {
  if (interrupted) return 'interrupted';
  return executions.failed > 0 ? 'failed' : 'done';
}

const isDone = ({ status }: PieceResult): boolean => status === 'SUCCEEDED';

interface Finished {
  readonly span: Span;
  readonly dryRun: boolean;
  readonly label: string;
  readonly planned: number;
  readonly results: readonly PieceResult[];
}

function resultOf({ span, dryRun, label, planned, results }: Finished): ReplayResult {
  const totals = results.map(each => each.totals).reduce(addTotals, NO_TOTALS);
  return {
    ...timesOf(span),
    dryRun,
    run: label,
    interrupted: results.length < planned,
    executions: {
      planned,
      done: results.filter(isDone).length,
      doneBefore: results.filter(({ doneBefore }) => doneBefore).length,
      failed: results.filter(result => !isDone(result)).length,
    },
    totals,
    ...(dryRun && { writeUnitsAtLeast: totals.found * WRITE_UNITS_PER_ITEM }),
    pieces: results.map(({ piece, totals: own, sampleKeys, failedKeys, ...result }) => ({
      ...result,
      ...timesOf(piece),
      ...own,
      ...(dryRun ? { sampleKeys } : { failedKeys }),
    })),
  };
}

const timesOf = ({ from, to }: Span) => ({
  from: new Date(from * 1000).toISOString(),
  to: new Date(to * 1000).toISOString(),
});
