import type { Operation } from '../context.ts';
import { describeExecution, listExecutions, redriveExecution, stopExecution } from './executions.ts';
import { getExecutionHistory } from './history.ts';
import { describeMapRun, listMapRuns } from './map-runs.ts';
import { startExecution, startSyncExecution } from './start-execution.ts';
import {
  createStateMachine,
  deleteStateMachine,
  describeStateMachine,
  describeStateMachineForExecution,
  listStateMachines,
  updateStateMachine,
} from './state-machines.ts';

/** Operations by their names in X-Amz-Target; activities, callbacks, versions, aliases, tags and tests of definitions are not supported. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  CreateStateMachine: createStateMachine,
  DeleteStateMachine: deleteStateMachine,
  DescribeExecution: describeExecution,
  DescribeMapRun: describeMapRun,
  DescribeStateMachine: describeStateMachine,
  DescribeStateMachineForExecution: describeStateMachineForExecution,
  GetExecutionHistory: getExecutionHistory,
  ListExecutions: listExecutions,
  ListMapRuns: listMapRuns,
  ListStateMachines: listStateMachines,
  RedriveExecution: redriveExecution,
  StartExecution: startExecution,
  StartSyncExecution: startSyncExecution,
  StopExecution: stopExecution,
  UpdateStateMachine: updateStateMachine,
};
