import { writeFileSync } from 'node:fs';
import { checkConfig } from '../../config/config.ts';
import { backfillName } from '../../config/names.ts';
import { type PreciseTtlProps, resolveProps } from '../../config/props.ts';
import type { BackfillInput, BackfillReport } from '../../statemachine/backfill-contract.ts';
import { isThisMachine } from '../aws/endpoint.ts';
import { type ExecutionState, executionArnOf, executionsOf, untilEnd } from '../aws/executions.ts';
import { findStateMachines } from '../aws/state-machines.ts';
import type { StepFunctionsClient } from '../aws/step-functions.ts';
import { chooseTable } from '../choose-tables.ts';
import { BackfillError } from './errors.ts';
import { estimate } from './estimate.ts';
import { runningExecution, segmentsDone } from './progress.ts';
import type { TableSize } from './table-size.ts';
import { describeFacts, describeNext, describeProgress, describeReport } from './text.ts';

export interface BackfillJobOptions {
  /** @default the only table of the configuration */
  readonly table: string | undefined;
  readonly input: Required<BackfillInput>;
  readonly resultFile: string | undefined;
  /** What `precise-ttl.config.ts` exports. */
  readonly config: unknown;
  /** Called when all of the above has been found right. */
  readonly connect: (region: string) => StepFunctionsClient;
  /** Undefined when DynamoDB cannot be asked. */
  readonly sizeOf: (tableName: string, region: string) => Promise<TableSize | undefined>;
  /** Asked before anything is written anywhere but on this machine. */
  readonly confirm: () => Promise<boolean>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly print: (text: string) => void;
  /** Ends the command; the execution that was started goes on. */
  readonly signal: AbortSignal;
}

export type BackfillEnd =
  | { readonly end: 'done' | 'failed' | 'declined' }
  /** `executionArn`: of the execution that goes on, if there is one. */
  | { readonly end: 'interrupted'; readonly executionArn: string | undefined };

/**
 * Runs a backfill: starts an execution of the deployed state machine, or finds the one that runs, and follows it to its end.
 *
 * @throws {FlagError} before anything is asked of AWS; {BackfillError}, {StateMachineNotFoundError} or the SDK's error when it can't go on
 */
export async function runBackfill(options: BackfillJobOptions): Promise<BackfillEnd> {
  const { input, print, signal, now } = options;
  const config = checkConfig(options.config);
  const { region } = config;
  const table = chooseTable(config, options.table);
  requireBackfill(table);
  const { tableName, name, functionMemoryMb } = resolveProps(table);
  const stateMachine = backfillName(name);
  const client = options.connect(region);
  let executionArn: string | undefined;
  try {
    const where = () => client.endpoint()?.origin ?? region;
    const arn = (await findStateMachines(client.sfn, [stateMachine], where)).get(stateMachine) ?? '';
    const before = await runningExecution(client.sfn, arn);
    const size = await options.sizeOf(tableName, region);
    const planned = size && estimate(size, input, functionMemoryMb);
    const executions = executionsOf(client.sfn, arn);
    const execution = before ?? `backfill-${new Date(now()).toISOString().replaceAll(/[:.]/g, '-')}`;
    if (before === undefined) {
      print(
        describeFacts({ tableName, stateMachine, endpoint: where(), region, input, size, estimate: planned }),
      );
      const local = isThisMachine(client.endpoint()?.hostname ?? '');
      if (!input.dryRun && !local && !(await options.confirm())) {
        return signal.aborted ? { end: 'interrupted', executionArn } : { end: 'declined' };
      }
      signal.throwIfAborted();
      await executions.start(execution, input);
    } else {
      print(`${before} is running: this follows it, with what it was started with, and starts no other.`);
    }
    executionArn = executionArnOf(arn, execution);
    const state = await follow(client, { executionArn, execution, now, print, signal }, executions);
    const report = readReport(state);
    print(`\n${report === undefined ? describeFailure(state) : describeReport(report)}`);
    if (report !== undefined) for (const line of describeNext(report)) print(`\n${line}`);
    if (options.resultFile !== undefined) {
      const { status, startedAt, error, cause } = state;
      const json = {
        table: tableName,
        execution,
        status,
        startedAt,
        input,
        ...(planned && { estimate: planned }),
        ...(report ?? { error, cause }),
      };
      writeFileSync(options.resultFile, `${JSON.stringify(json, null, 2)}\n`);
    }
    return { end: state.status === 'SUCCEEDED' ? 'done' : 'failed' };
  } catch (error) {
    if (signal.aborted) return { end: 'interrupted', executionArn };
    throw error;
  } finally {
    client.sfn.destroy();
  }
}

function requireBackfill(table: PreciseTtlProps): void {
  const { tableName, indexedBy, backfill } = resolveProps(table);
  if (indexedBy === 'second') {
    throw new BackfillError(
      `table ${tableName}: expected one that is indexed by window, got indexedBy: 'second'; nothing is to be done there: ` +
        'DynamoDB puts the items that are there into the index by itself',
    );
  }
  if (backfill) return;
  throw new BackfillError(
    `table ${tableName}: expected backfill: true in the configuration, got false; add it and deploy, which provisions the ` +
      'state machine that this command starts',
  );
}

interface Followed {
  readonly executionArn: string;
  readonly execution: string;
  readonly now: () => number;
  readonly print: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Waits for the end, and prints each time that segments were done. */
async function follow(
  { sfn }: StepFunctionsClient,
  { executionArn, execution, now, print, signal }: Followed,
  executions: ReturnType<typeof executionsOf>,
): Promise<ExecutionState> {
  const from = now();
  let first: number | undefined;
  let printed = '';
  return untilEnd(execution, executions, signal, async () => {
    const segments = await segmentsDone(sfn, executionArn);
    if (segments === undefined) return;
    // Of an execution that ran before, only what is done from now on tells how fast it is.
    first ??= segments.done;
    if (printed === `${segments.done}`) return;
    printed = `${segments.done}`;
    const since = { total: segments.total, done: segments.done, doneBefore: first };
    print(describeProgress(since, (now() - from) / 1000));
  });
}

function readReport({ output, cause }: ExecutionState): BackfillReport | undefined {
  try {
    const value = JSON.parse(output ?? cause ?? '');
    return typeof value?.scanned === 'number' ? value : undefined;
  } catch {
    return undefined; // a cause in prose
  }
}

function describeFailure({ status, error, cause }: ExecutionState): string {
  return `The execution ended as ${[status, error, cause].filter(text => text).join(': ')}`;
}
