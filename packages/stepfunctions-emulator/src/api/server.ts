import { awsJson, type HttpProtocol, LoopbackServer, type ServerOptions } from '../loopback/index.ts';
import { answerPage, isOfPage } from '../page/routes.ts';
import type { ApiContext, Operation } from './context.ts';
import { typeOf } from './errors.ts';
import { Members } from './members.ts';
import {
  describeExecution,
  describeMapRun,
  getExecutionHistory,
  listExecutions,
  listMapRuns,
  startExecution,
  startSyncExecution,
  stopExecution,
} from './operations/executions.ts';
import {
  createStateMachine,
  deleteStateMachine,
  describeStateMachine,
  describeStateMachineForExecution,
  listStateMachines,
  updateStateMachine,
} from './operations/state-machines.ts';

/** Operations by their names in X-Amz-Target; activities, callbacks, versions, aliases, tags and tests of definitions are not supported. */
const OPERATIONS: Readonly<Record<string, Operation>> = {
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
  StartExecution: startExecution,
  StartSyncExecution: startSyncExecution,
  StopExecution: stopExecution,
  UpdateStateMachine: updateStateMachine,
};

/** The port of Step Functions Local, which many configurations contain. */
export const DEFAULT_PORT = 8083;

/** Serves the API over HTTP, on this machine only, and shows a page at its address. */
export type ApiServer = LoopbackServer;

export const ApiServer = {
  /** Rejects with the system's error, e.g. EADDRINUSE, when it can't listen. */
  start: (context: ApiContext, options: ServerOptions = {}): Promise<ApiServer> =>
    LoopbackServer.start(withPage(context, stepFunctions(context)), options),
};

const stepFunctions = (context: ApiContext): HttpProtocol =>
  awsJson({
    target: 'AWSStepFunctions',
    operations: OPERATIONS,
    call: (operation, fields) => operation(context, new Members(fields)),
    typeOf,
  });

/** The API, and the page for people who open its address in a browser. */
const withPage = (context: ApiContext, api: HttpProtocol): HttpProtocol => ({
  ...api,
  answer: request => (isOfPage(request) ? answerPage(context, request) : api.answer(request)),
});
