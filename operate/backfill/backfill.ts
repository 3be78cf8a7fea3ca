import { backfillName } from '../../config/names.ts';
import { resolveProps } from '../../config/props.ts';
import {
  type BackfillInput,
  type BackfillReport,
  DEFAULT_RATE_PER_SECOND,
  DEFAULT_SEGMENTS,
} from '../../statemachine/backfill-contract.ts';
import type { With } from '../aws/clients.ts';
import type { ExecutionState } from '../aws/execution-state.ts';
import { executionArnOf, executionsOf, untilEnd } from '../aws/executions.ts';
import { findStateMachines } from '../aws/state-machines.ts';
import type { BackfillFacts, BackfillOptions, BackfillResult } from '../changes.ts';
import { chooseTable } from '../choose-tables.ts';
import type { Prepared } from '../prepared.ts';
import { describeShape } from '../table/describe-table.ts';
import { estimate } from './estimate.ts';
import { runningExecution, segmentsDone } from './progress.ts';
import { requireBackfill } from './require-backfill.ts';

type BackfillClients = With<'dynamoDb' | 'sfn' | 'where' | 'isBeside'>;

/**
 * Prepares a backfill: checks whether an execution of the deployed state machine is running. Applying it starts an execution, or
 * follows the running one to its end.
 *
 * @throws {InputError}, {BackfillError}, {StateMachineNotFoundError}, {TableNotFoundError}, {MissingPermissionError} or the SDK's
 * error
 */
export async function prepareBackfill(
  options: BackfillOptions & BackfillClients,
): Promise<Prepared<BackfillFacts, BackfillResult>> {
  const { config, clients, now = Date.now, signal = new AbortController().signal } = options;
  const table = chooseTable(config, options.table);
  requireBackfill(table);
  const { tableName, name, functionMemoryMb } = resolveProps(table);
  const {
    segments = DEFAULT_SEGMENTS,
    ratePerSecond = DEFAULT_RATE_PER_SECOND,
    dryRun = false,
  } = options.input ?? {};
  const input = { segments, ratePerSecond, dryRun };
  const stateMachine = backfillName(name);
  const { sfn } = clients;
  const arn = (await findStateMachines(sfn, [stateMachine], clients.where)).get(stateMachine) ?? '';
  const running = await runningExecution(sfn, arn);
  const size = clients.isBeside('DYNAMODB') ? await describeShape(clients.dynamoDb, tableName) : undefined;
  const planned = size && estimate(size, input, functionMemoryMb);
  return {
    facts: { tableName, stateMachine, input, running, size, estimate: planned },
    async apply() {
      const execution = running ?? `backfill-${new Date(now()).toISOString().replaceAll(/[:.]/g, '-')}`;
      const executionArn = executionArnOf(arn, execution);
      const state = await follow(
        { ...options, signal, now },
        { arn, execution, executionArn, input, running },
      );
      const { status, startedAt, error, cause } = state;
      const report = readReport(state);
      return {
        ...{ table: tableName, execution, executionArn, status, startedAt, input },
        ...(planned && { estimate: planned }),
        ...(report ?? { error, cause }),
      };
    },
  };
}

interface Followed {
  /** ARN of the state machine. */
  readonly arn: string;
  readonly execution: string;
  readonly executionArn: string;
  readonly input: BackfillInput;
  readonly running: string | undefined;
}

/** Starts the execution unless it is running, and waits for its end. */
async function follow(
  {
    clients: { sfn },
    now,
    onProgress,
    signal,
  }: BackfillOptions & BackfillClients & Required<Pick<BackfillOptions, 'now' | 'signal'>>,
  { arn, execution, executionArn, input, running }: Followed,
): Promise<ExecutionState> {
  const executions = executionsOf(sfn, arn);
  signal.throwIfAborted();
  const from = now();
  let first: number | undefined;
  try {
    if (running === undefined) await executions.start(execution, input);
    return await untilEnd(execution, executions, signal, async () => {
      const segments = await segmentsDone(sfn, executionArn);
      if (segments === undefined) return;
      // If the execution ran before, only the progress from now on shows its speed.
      first ??= segments.done;
      onProgress?.({ ...segments, doneBefore: first, seconds: (now() - from) / 1000 });
    });
  } catch (error) {
    if (signal.aborted) return { status: 'RUNNING' };
    throw error;
  }
}

function readReport({ output, cause }: ExecutionState): BackfillReport | undefined {
  try {
    const value = JSON.parse(output ?? cause ?? '');
    return typeof value?.scanned === 'number' ? value : undefined;
  } catch {
    return undefined; // a cause that is not JSON
  }
}
