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

/** By the name that a request gives in X-Amz-Target. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map(
  Object.entries({
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
  }),
);

/** AWS has these and this API does not: activities and callbacks. */
export const NOT_IMPLEMENTED: ReadonlySet<string> = new Set([
  'CreateActivity',
  'DeleteActivity',
  'DescribeActivity',
  'GetActivityTask',
  'ListActivities',
  'SendTaskFailure',
  'SendTaskHeartbeat',
  'SendTaskSuccess',
  'UpdateMapRun',
]);
