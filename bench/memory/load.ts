import { setTimeout as sleep } from 'node:timers/promises';
import {
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  type SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import type { SessionTable } from '../../lab/workload/session-table.ts';
import type { SweepReport } from '../../statemachine/contract.ts';

export interface LoadOptions {
  readonly sfn: SFNClient;
  /** Of the replays of the table's deployment. */
  readonly stateMachineArn: string;
  /** Its name. */
  readonly table: string;
  readonly sessions: SessionTable;
  /** Executions that run at any time. */
  readonly concurrency: number;
  /** Expired items that each execution has to delete. */
  readonly items: number;
  /** No execution is started any more once it is aborted; those that run are waited for. */
  readonly signal: AbortSignal;
  readonly onEnded: () => void;
}

/** Long ago: no tick looks for what expired then. */
const AGE_MINUTES = 40 * 24 * 60;
const MINUTE_MS = 60_000;
const POLL_MS = 500;

/**
 * Keeps executions running through the API, each over a minute of its own in which it finds items to delete.
 *
 * @throws when an execution doesn't succeed, or another number of items is gone than were there
 */
export async function keepRunning(options: LoadOptions): Promise<void> {
  const { concurrency, signal } = options;
  const newest = (Math.floor(Date.now() / MINUTE_MS) - AGE_MINUTES) * MINUTE_MS;
  let nextItem = 0;
  const takeItems = () => {
    nextItem += options.items;
    return nextItem - options.items;
  };
  await Promise.all(
    Array.from({ length: concurrency }, async (_unused, lane) => {
      while (!signal.aborted) {
        await sweepOnce(options, newest - lane * MINUTE_MS, takeItems());
        options.onEnded();
      }
    }),
  );
}

async function sweepOnce(
  { sfn, stateMachineArn, table, sessions, items }: LoadOptions,
  from: number,
  firstItem: number,
): Promise<void> {
  const ttl = (item: number) => from / 1000 + (item % 60);
  // One after the other: the load is the executions, not the writes.
  for (let index = 0; index < items; index++) await sessions.write(firstItem + index, 0, ttl(index));
  const iso = (epochMilliseconds: number) => new Date(epochMilliseconds).toISOString();
  const input = JSON.stringify({ table, from: iso(from), to: iso(from + MINUTE_MS) });
  const executionArn = await start(sfn, { stateMachineArn, input, name: `sweep-${firstItem}` });
  for (;;) {
    const execution = await sfn.send(new DescribeExecutionCommand({ executionArn }));
    if (execution.status === 'RUNNING') {
      await sleep(POLL_MS);
      continue;
    }
    // A delete whose answer was lost, or came too late, is made again, and then finds nothing to delete.
    const { deleted, notFound } = JSON.parse(execution.output ?? '{}') as Partial<SweepReport>;
    if (execution.status === 'SUCCEEDED' && Number(deleted) + Number(notFound) === items) return;
    const got = [execution.status, execution.output, execution.error, execution.cause].filter(Boolean);
    throw new Error(`${executionArn}: expected SUCCEEDED and ${items} items gone, got ${got.join(' ')}`);
  }
}

/** Starts an execution once, also when the SDK asks again because a connection broke before the answer. @returns its ARN */
async function start(
  sfn: SFNClient,
  request: { readonly stateMachineArn: string; readonly input: string; readonly name: string },
): Promise<string> {
  try {
    await sfn.send(new StartExecutionCommand(request));
  } catch (error) {
    if (!(error instanceof ExecutionAlreadyExists)) throw error;
  }
  return `${request.stateMachineArn.replace(':stateMachine:', ':execution:')}:${request.name}`;
}
