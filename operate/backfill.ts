import {
  DescribeMapRunCommand,
  ListExecutionsCommand,
  ListMapRunsCommand,
  type SFNClient,
} from '@aws-sdk/client-sfn';
import { backfillName } from '../config/names.ts';
import { resolveProps } from '../config/props.ts';
import { PRICES } from '../cost/prices.ts';
import {
  type BackfillInput,
  type BackfillReport,
  CALL_SECONDS,
  DEFAULT_RATE_PER_SECOND,
  DEFAULT_SEGMENTS,
  READS_PER_WRITE,
  SEGMENTS_AT_ONCE,
} from '../statemachine/backfill-contract.ts';
import type { With } from './aws/clients.ts';
import { executionArnOf, executionsOf, findStateMachines, untilEnd } from './aws/executions.ts';
import type { ExecutionState } from './aws/executions-of-table.ts';
import type { BackfillFacts, BackfillOptions, BackfillResult, Estimate, SegmentsDone } from './changes.ts';
import { chooseTable, requireBackfill } from './choose-tables.ts';
import { jsonObject } from './json-object.ts';
import type { Prepared } from './options.ts';
import { type DescribedTable, describeShape } from './table/describe-table.ts';

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
  const report = jsonObject(output ?? cause);
  return typeof report?.['scanned'] === 'number' ? (report as unknown as BackfillReport) : undefined;
}

/** Name of the running execution of this state machine; undefined if none is running. */
export async function runningExecution(sfn: SFNClient, stateMachineArn: string): Promise<string | undefined> {
  const { executions = [] } = await sfn.send(
    new ListExecutionsCommand({ stateMachineArn, statusFilter: 'RUNNING', maxResults: 1 }),
  );
  return executions[0]?.name;
}

/** Segments that have ended, also by a failure; undefined before the Map Run has begun. */
export async function segmentsDone(sfn: SFNClient, executionArn: string): Promise<SegmentsDone | undefined> {
  const { mapRuns = [] } = await sfn.send(new ListMapRunsCommand({ executionArn }));
  const mapRunArn = mapRuns[0]?.mapRunArn;
  if (mapRunArn === undefined) return undefined;
  const { itemCounts } = await sfn.send(new DescribeMapRunCommand({ mapRunArn }));
  const { total = 0, succeeded = 0, failed = 0, timedOut = 0, aborted = 0 } = itemCounts ?? {};
  return { total, done: succeeded + failed + timedOut + aborted };
}

/** A write unit is 1 KB; a read unit of an eventually consistent Scan is 8 KB. */
const WRITE_UNIT_BYTES = 1024;
const READ_UNIT_BYTES = 8 * 1024;

/** Transitions of a child execution besides those of its calls: its start, its first state and its last one. */
const TRANSITIONS_PER_SEGMENT = 3;
/** The call, and the Choice state after it. */
const TRANSITIONS_PER_CALL = 2;

export function estimate(
  { itemCount: items, sizeBytes: bytes }: Pick<DescribedTable, 'itemCount' | 'sizeBytes'>,
  { segments, ratePerSecond, dryRun }: Required<BackfillInput>,
  functionMemoryMb: number,
): Estimate {
  const ofOneItem = Math.max(1, Math.ceil(bytes / Math.max(1, items) / WRITE_UNIT_BYTES));
  // Each item takes one write for itself and one for its index entry.
  const writeUnits = dryRun ? 0 : items * (ofOneItem + 1);
  const readUnits = Math.ceil(bytes / READ_UNIT_BYTES);
  const seconds = items / (dryRun ? ratePerSecond * READS_PER_WRITE : ratePerSecond);
  const atOnce = Math.min(segments, SEGMENTS_AT_ONCE);
  const calls = segments + (seconds * atOnce) / CALL_SECONDS;
  const transitions = segments * TRANSITIONS_PER_SEGMENT + calls * TRANSITIONS_PER_CALL;
  const dollars =
    writeUnits * PRICES.dynamoDbWriteUnits +
    readUnits * PRICES.dynamoDbReadUnits +
    transitions * PRICES.stateTransitions +
    calls * PRICES.functionInvocations +
    seconds * atOnce * (functionMemoryMb / 1024) * PRICES.functionGbSeconds;
  return { seconds, writeUnits, readUnits, dollars };
}
