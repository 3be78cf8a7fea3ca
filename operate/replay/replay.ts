import { replayName } from '../../config/names.ts';
import { resolveProps } from '../../config/props.ts';
import type { ReplayInput } from '../../statemachine/contract/inputs.ts';
import type { With } from '../aws/clients.ts';
import { type Executions, executionsOf, findStateMachines, untilEnd } from '../aws/executions.ts';
import type { PieceResult, ReplayFacts, ReplayOptions, ReplayResult, Span } from '../changes.ts';
import { StoppedError } from '../errors.ts';
import type { Prepared } from '../options.ts';
import { inParallel } from '../time-limit.ts';
import { executionName, type NamedPiece } from './pieces.ts';
import { replaySettings } from './settings.ts';
import {
  addTotals,
  carriedOver,
  NO_TOTALS,
  readKeys,
  readLagP99,
  readTotals,
  WRITE_UNITS_PER_ITEM,
} from './totals.ts';

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

/** Whether nothing of a piece is left. An execution also succeeds if the table was paused, and then leaves items. */
const isDone = ({ status, totals }: Pick<PieceResult, 'status' | 'totals'>): boolean =>
  status === 'SUCCEEDED' && totals.leftForLater === 0;

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

export interface PieceToRun extends Omit<NamedPiece, 'attempt'> {
  /** Delete limit of its execution; undefined: no limit. */
  readonly maxDeletesPerSecond?: number | undefined;
}

/** Failed attempts at a piece after which no new one is started: the cause has to be mended first. */
const MAX_ATTEMPTS = 99;

/**
 * Ensures that a piece is swept: uses an execution that succeeded, follows one that is running, or starts a new one. If an earlier
 * execution failed, the next name is used; if this one fails, the next run of the command tries again.
 *
 * @param signal stops the waiting; the execution continues
 */
export async function runPiece(
  { maxDeletesPerSecond, ...named }: PieceToRun,
  executions: Executions,
  signal: AbortSignal,
): Promise<PieceResult> {
  const { piece, tableName, dryRun } = named;
  const input: ReplayInput = {
    table: tableName,
    from: iso(piece.from),
    to: iso(piece.to),
    ...(dryRun && { dryRun }),
    ...(maxDeletesPerSecond !== undefined && { maxDeletesPerSecond }),
  };
  let earlier = NO_TOTALS;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    signal.throwIfAborted();
    const name = executionName({ ...named, attempt });
    const started = await executions.start(name, input);
    const before = started ? undefined : await executions.describe(name);
    // The name is taken, but the execution is no longer stored: the next name is used, because sweeping again does no harm.
    if (!started && before === undefined) continue;
    const state = await untilEnd(name, executions, signal);
    const totals = readTotals(state) ?? NO_TOTALS;
    const { status, startedAt, error, cause } = state;
    if (started || isDone({ status, totals })) {
      const doneBefore = !started && before?.status === 'SUCCEEDED';
      return {
        piece,
        tableName,
        execution: name,
        status,
        startedAt: startedAt?.toISOString(),
        doneBefore,
        totals: addTotals(earlier, totals),
        lagP99Ms: readLagP99(state),
        ...readKeys(state),
        error,
        cause,
      };
    }
    earlier = addTotals(earlier, carriedOver(totals, dryRun));
  }
  return {
    piece,
    tableName,
    execution: executionName({ ...named, attempt: MAX_ATTEMPTS }),
    status: 'FAILED',
    doneBefore: false,
    totals: earlier,
    sampleKeys: [],
    failedKeys: [],
    error: 'TooManyAttempts',
    cause: `${MAX_ATTEMPTS} executions failed; look at the last one, then start over with another label for the run`,
  };
}

const iso = (epochSeconds: number): string => new Date(epochSeconds * 1000).toISOString();
