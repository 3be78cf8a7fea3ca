import {
  DescribeMapRunCommand,
  ListExecutionsCommand,
  ListMapRunsCommand,
  type SFNClient,
} from '@aws-sdk/client-sfn';
import type { SegmentsDone } from '../changes.ts';

/** Name of the running execution of this state machine; undefined if none is running. */
export async function runningExecution(sfn: SFNClient, stateMachineArn: string): Promise<string | undefined> {
  const { executions = [] } = await sfn.send(
    new ListExecutionsCommand({ stateMachineArn, statusFilter: 'RUNNING', maxResults: 1 }),
  );
  return executions[0]?.name;
}

/** Segments that are complete; undefined before the Map Run has begun. */
export async function segmentsDone(sfn: SFNClient, executionArn: string): Promise<SegmentsDone | undefined> {
  const { mapRuns = [] } = await sfn.send(new ListMapRunsCommand({ executionArn }));
  const mapRunArn = mapRuns[0]?.mapRunArn;
  if (mapRunArn === undefined) return undefined;
  const { itemCounts } = await sfn.send(new DescribeMapRunCommand({ mapRunArn }));
  const { total = 0, succeeded = 0, failed = 0, timedOut = 0, aborted = 0 } = itemCounts ?? {};
  return { total, done: succeeded + failed + timedOut + aborted };
}
