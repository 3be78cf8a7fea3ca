import { writeFileSync } from 'node:fs';
import { checkConfig } from '../../config/config.ts';
import { modelOf } from '../../config/model-of.ts';
import { replayName } from '../../config/names.ts';
import { type PreciseTtlProps, resolveProps } from '../../config/props.ts';
import { indexLayout } from '../../functions/table/index-layout.ts';
import { isThisMachine } from '../aws/endpoint.ts';
import { type Executions, executionsOf } from '../aws/executions.ts';
import { findStateMachines } from '../aws/state-machines.ts';
import type { StepFunctionsClient } from '../aws/step-functions.ts';
import { chooseTables } from '../choose-tables.ts';
import { FlagError } from '../flags.ts';
import { inParallel } from '../in-parallel.ts';
import type { JobEnd } from '../job-end.ts';
import { defaultLabel, freshLabel, LABEL, splitSpan, usualSplit } from './pieces.ts';
import { type PieceResult, runPiece } from './run-piece.ts';
import { checkPieces, longestMinutes, readSpan, type Span, type SpanSettings } from './span.ts';
import {
  describeAllDone,
  describeDryRun,
  describeFacts,
  describeOutcome,
  describePiece,
  type Outcome,
  WRITE_UNITS_PER_ITEM,
} from './text.ts';
import { addTotals, NO_TOTALS } from './totals.ts';

export interface ReplayJobOptions {
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** @default all tables of the configuration */
  readonly table: string | undefined;
  readonly dryRun: boolean;
  /** @default an hour, or longer for a long span */
  readonly splitMinutes: number | undefined;
  readonly concurrency: number;
  /** Deletes per second and table. @default the table's maxDeletesPerSecond */
  readonly maxPerSecond: number | undefined;
  /** Without a meaning for a dry run, whose label is always a new one. @default the same for the same span */
  readonly label: string | undefined;
  readonly resultFile: string | undefined;
  /** What `precise-ttl.config.ts` exports. */
  readonly config: unknown;
  /** Called when all of the above has been found right. */
  readonly connect: (region: string) => StepFunctionsClient;
  /** Asked before anything is deleted anywhere but on this machine. */
  readonly confirm: () => Promise<boolean>;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly print: (text: string) => void;
  /** Gets each piece that is through. */
  readonly onPiece?: (result: PieceResult) => void;
  /** Ends the command; the executions that were started go on. */
  readonly signal: AbortSignal;
}

interface Task {
  readonly piece: Span;
  readonly tableName: string;
  readonly executions: Executions;
  /** Its part of the table's; undefined: no limit. */
  readonly maxDeletesPerSecond: number | undefined;
}

/**
 * Replays a span: cuts it into executions of the deployed state machines, starts those that aren't done yet, and adds
 * up what they report.
 *
 * @throws {FlagError} before anything is asked of AWS; {StateMachineNotFoundError}, or the SDK's error, when it can't go on
 */
export async function runReplay(options: ReplayJobOptions): Promise<JobEnd> {
  const { dryRun, print, signal } = options;
  const config = checkConfig(options.config);
  const { region } = config;
  const tables = chooseTables(config, options.table);
  const span = readSpan(options, options.now, settingsOf(tables[0]));
  const most = Math.min(...tables.map(table => longestMinutes(settingsOf(table))));
  const splitMinutes = options.splitMinutes ?? usualSplit(span, most);
  const pieces = splitSpan(span, splitMinutes);
  for (const table of tables) checkPieces(pieces, splitMinutes, settingsOf(table));
  const named = options.label ?? defaultLabel(span);
  if (!LABEL.test(named)) {
    throw new FlagError(`--run: expected 1 to 20 letters, digits, "_" and "-", got "${named}"`);
  }
  const limits = dryRun ? [] : tables.flatMap(table => limitOf(table, options) ?? []);
  // Each execution needs a delete per second of its own.
  const concurrency = Math.min(options.concurrency, ...limits);
  const atOnce = Math.min(concurrency, pieces.length);
  const label = dryRun ? freshLabel(options.now) : named;

  const client = options.connect(region);
  try {
    const swept = tables.map(table => {
      const limit = dryRun ? undefined : limitOf(table, options);
      return {
        tableName: table.tableName,
        stateMachine: replayName(resolveProps(table).sweep),
        ...(limit !== undefined && { maxDeletesPerSecond: Math.floor(limit / atOnce) }),
      };
    });
    const where = () => client.endpoint()?.origin ?? region;
    const names = swept.map(({ stateMachine }) => stateMachine);
    const arns = await findStateMachines(client.sfn, names, where);
    const tasks = swept.flatMap(({ tableName, stateMachine, maxDeletesPerSecond }): Task[] => {
      const executions = executionsOf(client.sfn, arns.get(stateMachine) ?? '');
      return pieces.map(piece => ({ piece, tableName, executions, maxDeletesPerSecond }));
    });
    print(
      describeFacts({
        span,
        endpoint: where(),
        region,
        tables: swept,
        executions: tasks.length,
        splitMinutes,
        concurrency,
        label,
        dryRun,
      }),
    );
    const local = isThisMachine(client.endpoint()?.hostname ?? '');
    if (!dryRun && !local && !(await options.confirm())) return signal.aborted ? 'interrupted' : 'declined';

    const results: PieceResult[] = [];
    const work = async ({ executions, ...task }: Task, stop: AbortSignal) => {
      const result = await runPiece({ ...task, dryRun, label }, executions, stop);
      results.push(result);
      options.onPiece?.(result);
      print(describePiece(result, `${results.length}/${tasks.length}`, dryRun));
    };
    try {
      await inParallel(tasks, concurrency, work, signal);
    } finally {
      const outcome = sumUp(results, tasks.length);
      print(`\n${describeOutcome(outcome, dryRun)}`);
      const note = dryRun ? describeDryRun(results) : describeAllDone(outcome);
      if (note !== undefined) print(`\n${note}`);
      if (options.resultFile !== undefined) {
        const interrupted = results.length < tasks.length;
        const json = { span, dryRun, label, interrupted, outcome, results };
        writeFileSync(options.resultFile, `${JSON.stringify(toJson(json), null, 2)}\n`);
      }
    }
    if (results.length < tasks.length) return 'interrupted';
    return results.every(isDone) ? 'done' : 'failed';
  } finally {
    client.sfn.destroy();
  }
}

/** Deletes per second that a table may have of the replay; undefined: as many as there are. */
function limitOf(
  table: PreciseTtlProps,
  { maxPerSecond }: Pick<ReplayJobOptions, 'maxPerSecond'>,
): number | undefined {
  return maxPerSecond ?? (resolveProps(table).maxDeletesPerSecond || undefined);
}

function settingsOf(table: PreciseTtlProps | undefined): SpanSettings {
  if (table === undefined) throw new TypeError('checkConfig refuses a configuration without tables');
  const { lookbackMinutes, precisionSeconds, maxDeletesPerSecond, graceSeconds } = resolveProps(table);
  const { windowSeconds, shards } = indexLayout(modelOf(table));
  return { lookbackMinutes, precisionSeconds, maxDeletesPerSecond, graceSeconds, windowSeconds, shards };
}

const isDone = ({ status }: PieceResult): boolean => status === 'SUCCEEDED';

function sumUp(results: readonly PieceResult[], planned: number): Outcome {
  return {
    totals: results.map(({ totals }) => totals).reduce(addTotals, NO_TOTALS),
    executions: {
      planned,
      done: results.filter(isDone).length,
      doneBefore: results.filter(({ doneBefore }) => doneBefore).length,
      failed: results.filter(result => !isDone(result)).length,
    },
  };
}

interface Finished {
  readonly span: Span;
  readonly dryRun: boolean;
  readonly label: string;
  readonly interrupted: boolean;
  readonly outcome: Outcome;
  readonly results: readonly PieceResult[];
}

/** What `--json` writes. */
function toJson({ span, dryRun, label, interrupted, outcome, results }: Finished) {
  return {
    ...timesOf(span),
    dryRun,
    run: label,
    interrupted,
    executions: outcome.executions,
    totals: outcome.totals,
    ...(dryRun && { writeUnitsAtLeast: outcome.totals.found * WRITE_UNITS_PER_ITEM }),
    pieces: results.map(({ piece, totals, sampleKeys, failedKeys, ...result }) => ({
      ...result,
      ...timesOf(piece),
      ...totals,
      ...(dryRun ? { sampleKeys } : { failedKeys }),
    })),
  };
}

const timesOf = ({ from, to }: Span) => ({
  from: new Date(from * 1000).toISOString(),
  to: new Date(to * 1000).toISOString(),
});
