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
  validateStateMachineDefinition,
} from './state-machines.ts';
import { listTagsForResource, tagResource, untagResource } from './tags.ts';
import { testState } from './test-state.ts';

/** By the name that a request gives in X-Amz-Target. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map(
  Object.entries({
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
    ListTagsForResource: listTagsForResource,
    RedriveExecution: redriveExecution,
    StartExecution: startExecution,
    StartSyncExecution: startSyncExecution,
    StopExecution: stopExecution,
    TagResource: tagResource,
    TestState: testState,
    UntagResource: untagResource,
    UpdateStateMachine: updateStateMachine,
    ValidateStateMachineDefinition: validateStateMachineDefinition,
  }),
);

/** AWS has these and this API does not: activities, callbacks, versions and aliases. */
export const NOT_IMPLEMENTED: ReadonlySet<string> = new Set([
  'CreateActivity',
  'CreateStateMachineAlias',
  'DeleteActivity',
  'DeleteStateMachineAlias',
  'DeleteStateMachineVersion',
  'DescribeActivity',
  'DescribeStateMachineAlias',
  'GetActivityTask',
  'ListActivities',
  'ListStateMachineAliases',
  'ListStateMachineVersions',
  'PublishStateMachineVersion',
  'SendTaskFailure',
  'SendTaskHeartbeat',
  'SendTaskSuccess',
  'UpdateMapRun',
  'UpdateStateMachineAlias',
]);
