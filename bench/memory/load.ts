import { setTimeout as sleep } from 'node:timers/promises';
import { DescribeExecutionCommand, type SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import type { SessionTable } from '../../lab/workload/session-table.ts';

export interface LoadOptions {
  readonly sfn: SFNClient;
  readonly stateMachineArn: string;
  readonly sessions: SessionTable;
  /** Executions that run at any time. */
  readonly concurrency: number;
  /** Expired items that each execution has to delete. */
  readonly items: number;
  /** No execution is started any more once it is aborted; those that run are waited for. */
  readonly signal: AbortSignal;
  readonly onEnded: () => void;
}

/** Long ago: no tick, and no reconcile of any configuration, looks for what expired then. */
const AGE_MINUTES = 40 * 24 * 60;
const MINUTE_MS = 60_000;
const POLL_MS = 500;

/**
 * Keeps executions running through the API, each over a minute of its own in which it finds items to delete.
 *
 * @throws when an execution doesn't succeed, or deletes another number of items than were there
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
  { sfn, stateMachineArn, sessions, items }: LoadOptions,
  from: number,
  firstItem: number,
): Promise<void> {
  const ttl = (item: number) => from / 1000 + (item % 60);
  // One after the other: the load is the executions, not the writes.
  for (let index = 0; index < items; index++) await sessions.write(firstItem + index, 0, ttl(index));
  const iso = (epochMilliseconds: number) => new Date(epochMilliseconds).toISOString();
  const input = JSON.stringify({ from: iso(from), to: iso(from + MINUTE_MS) });
  const { executionArn } = await sfn.send(new StartExecutionCommand({ stateMachineArn, input }));
  for (;;) {
    const execution = await sfn.send(new DescribeExecutionCommand({ executionArn }));
    if (execution.status === 'RUNNING') {
      await sleep(POLL_MS);
      continue;
    }
    const { deleted } = JSON.parse(execution.output ?? '{}') as { deleted?: unknown };
    if (execution.status === 'SUCCEEDED' && deleted === items) return;
    throw new Error(
      `${executionArn}: expected SUCCEEDED and ${items} deleted, got ${execution.status} and ${deleted}: ${execution.error ?? ''} ${execution.cause ?? ''}`,
    );
  }
}
