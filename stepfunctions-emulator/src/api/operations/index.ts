import type { Operation } from '../context.ts';
import {
  createStateMachineAlias,
  deleteStateMachineAlias,
  describeStateMachineAlias,
  listStateMachineAliases,
  updateStateMachineAlias,
} from './aliases.ts';
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
  validateStateMachineDefinition,
} from './state-machines.ts';
import { listTagsForResource, tagResource, untagResource } from './tags.ts';
import { testState } from './test-state.ts';
import {
  deleteStateMachineVersion,
  listStateMachineVersions,
  publishStateMachineVersion,
} from './versions.ts';

/** Operations by their names in X-Amz-Target; activities and callbacks are not supported. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  CreateStateMachine: createStateMachine,
  CreateStateMachineAlias: createStateMachineAlias,
  DeleteStateMachine: deleteStateMachine,
  DeleteStateMachineAlias: deleteStateMachineAlias,
  DeleteStateMachineVersion: deleteStateMachineVersion,
  DescribeExecution: describeExecution,
  DescribeMapRun: describeMapRun,
  DescribeStateMachine: describeStateMachine,
  DescribeStateMachineAlias: describeStateMachineAlias,
  DescribeStateMachineForExecution: describeStateMachineForExecution,
  GetExecutionHistory: getExecutionHistory,
  ListExecutions: listExecutions,
  ListMapRuns: listMapRuns,
  ListStateMachineAliases: listStateMachineAliases,
  ListStateMachineVersions: listStateMachineVersions,
  ListStateMachines: listStateMachines,
  ListTagsForResource: listTagsForResource,
  PublishStateMachineVersion: publishStateMachineVersion,
  RedriveExecution: redriveExecution,
  StartExecution: startExecution,
  StartSyncExecution: startSyncExecution,
  StopExecution: stopExecution,
  TagResource: tagResource,
  TestState: testState,
  UntagResource: untagResource,
  UpdateStateMachine: updateStateMachine,
  UpdateStateMachineAlias: updateStateMachineAlias,
  ValidateStateMachineDefinition: validateStateMachineDefinition,
};
