import {
  type EventDetails,
  type Execution,
  expressBill,
  type HistoryEvent,
  InvalidStartError,
  type MapRun,
  type MapRunCounts,
  type StartOptions,
} from '../../interpreter/index.ts';
import { type ApiContext, type Operation, optional, refuseMetadataOnly, seconds } from '../context.ts';
import { ApiError, typeNotSupported, validationError } from '../errors.ts';
import { childrenOf, executionAlreadyExists, type StartedExecution } from '../executions.ts';
import {
  type Members,
  takeExecutionArn,
  takeItems,
  takeMachineArn,
  takeMapRunArn,
  takePage,
} from '../members.ts';
import type { StateMachine } from '../state-machines.ts';

const INPUT_LENGTH = { max: 262_144 };
const NAME_LENGTH = { min: 1, max: 80 };

export const startExecution: Operation = (context, members) => {
  const { execution } = startAlone(context, members);
  return { executionArn: execution.arn, startDate: seconds(execution.startDate) };
};

export const startAlone = (context: ApiContext, members: Members): StartedExecution =>
  start(context, context.stateMachines.get(takeMachineArn(members)), members);

/** Answers after the execution has ended, whatever its status. The execution continues when the client disconnects. */
export const startSyncExecution: Operation = async (context, members) => {
  const stateMachine = context.stateMachines.get(takeMachineArn(members));
  if (stateMachine.type !== 'EXPRESS') throw typeNotSupported();
  refuseMetadataOnly(members);
  const { execution } = start(context, stateMachine, members, true);
  await execution.done;
  const stopDate = execution.stopDate ?? execution.startDate;
  const { memoryMb = 0 } = execution;
  const billed = expressBill({ memoryMb, durationMs: stopDate - execution.startDate });
  return {
    executionArn: execution.arn,
    stateMachineArn: stateMachine.arn,
    name: execution.name,
    startDate: seconds(execution.startDate),
    stopDate: seconds(stopDate),
    // The answer of StartSyncExecution has no status ABORTED: an aborted execution counts as failed.
    status: execution.status === 'ABORTED' ? 'FAILED' : execution.status,
    ...dataOf(execution),
    billingDetails: {
      billedMemoryUsedInMB: billed.memoryMb,
      billedDurationInMilliseconds: billed.durationMs,
    },
  };
};

function dataOf(execution: Execution): object {
  const { outputText } = execution;
  return {
    input: execution.inputText,
    inputDetails: { included: true },
    ...(outputText !== undefined && { output: outputText, outputDetails: { included: true } }),
    ...optional('error', execution.error),
    ...optional('cause', execution.cause),
  };
}

function start(
  { executions }: ApiContext,
  stateMachine: StateMachine,
  members: Members,
  synchronous = false,
): StartedExecution {
  const name = members.optionalString('name', NAME_LENGTH);
  const inputText = members.optionalString('input', INPUT_LENGTH) ?? '{}';
  const input = parseInput(inputText);
  members.optionalString('traceHeader', { max: 256 });
  if (name !== undefined && stateMachine.type === 'STANDARD' && executions.isTaken(stateMachine, name)) {
    return again(executions.find(arnOf(stateMachine, name)), stateMachine, name, input);
  }
  const options: StartOptions = { input, inputText, synchronous, ...(name !== undefined && { name }) };
  try {
    return executions.start(stateMachine, options);
  } catch (error) {
    if (!(error instanceof InvalidStartError)) throw error;
    const prefix = error.name === 'InvalidName' ? 'Invalid Name' : 'Invalid State Machine Execution Input';
    throw new ApiError(error.name, `${prefix}: '${error.message}'`);
  }
}

/** Handles a start with a taken name: returns the running execution with this name and the same input; otherwise throws. */
function again(
  known: StartedExecution | undefined,
  stateMachine: StateMachine,
  name: string,
  input: unknown,
): StartedExecution {
  if (known?.execution.status === 'RUNNING') {
    if (JSON.stringify(known.execution.input) === JSON.stringify(input)) return known;
  }
  throw executionAlreadyExists(arnOf(stateMachine, name));
}

const arnOf = (stateMachine: StateMachine, name: string): string =>
  `${stateMachine.arn.replace(':stateMachine:', ':execution:')}:${name}`;

function parseInput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ApiError(
      'InvalidExecutionInput',
      `Invalid State Machine Execution Input: 'expected JSON, got ${(error as Error).message}'`,
    );
  }
}

const STATUSES = ['ABORTED', 'FAILED', 'PENDING_REDRIVE', 'RUNNING', 'SUCCEEDED', 'TIMED_OUT'] as const;

export const describeExecution: Operation = ({ executions }, members) => {
  const arn = takeExecutionArn(members, ['execution', 'express']);
  // AWS describes an Express execution only if a Map Run started it: the ARN then has `Machine/Label`. Other Express ARNs are refused.
  if (/:express:[^/:]+:/.test(arn)) takeExecutionArn(members);
  refuseMetadataOnly(members);
  const { execution } = executions.get(arn);
  return {
    ...summaryOf({ execution }),
    ...dataOf(execution),
    redriveStatus: 'NOT_REDRIVABLE',
    redriveStatusReason: 'There is no RedriveExecution on this machine',
  };
};

export const listExecutions: Operation = ({ executions, stateMachines }, members) => {
  if (members.has('stateMachineArn') === members.has('mapRunArn')) {
    throw validationError(
      "Value at 'stateMachineArn' failed to satisfy constraint: either stateMachineArn or mapRunArn must be given",
    );
  }
  const status = members.oneOf('statusFilter', STATUSES);
  members.oneOf('redriveFilter', ['NOT_REDRIVEN']);
  const list = (page: ReturnType<typeof takePage>, all: (Summarized & { sequence: number })[]) => {
    const { items, ...more } = takeItems(
      page,
      all.filter(({ execution }) => status === undefined || execution.status === status),
      ({ sequence }) => -sequence,
    );
    return { executions: items.map(summaryOf), ...more };
  };
  if (members.has('mapRunArn')) {
    const arn = takeMapRunArn(members);
    const children = childrenOf(executions.mapRun(arn));
    const numbered = children.map((execution, sequence) => ({ execution, sequence })).reverse();
    return list(takePage(members, `ListExecutions ${arn}`), numbered);
  }
  const arn = takeMachineArn(members);
  if (stateMachines.get(arn).type === 'EXPRESS') throw typeNotSupported();
  return list(takePage(members, `ListExecutions ${arn}`), [...executions.of(arn)]);
};

export const stopExecution: Operation = ({ executions }, members) => {
  const { execution } = executions.get(takeExecutionArn(members));
  const error = members.optionalString('error', { max: 256 });
  const cause = members.optionalString('cause', { max: 32_768 });
  execution.stop(error, cause);
  return { stopDate: seconds(execution.stopDate ?? execution.startDate) };
};

interface Summarized {
  readonly execution: Execution;
}

function summaryOf({ execution }: Summarized): object {
  const { stopDate } = execution;
  return {
    executionArn: execution.arn,
    stateMachineArn: execution.machine.arn,
    name: execution.name,
    status: execution.status,
    startDate: seconds(execution.startDate),
    ...optional('stopDate', stopDate && seconds(stopDate)),
    ...optional('mapRunArn', execution.mapRunArn),
    redriveCount: 0,
  };
}

/** Fields of an event's details that contain data. A request with `includeExecutionData: false` does not get these fields. */
const DATA = new Set(['assignedVariables', 'input', 'inputDetails', 'output', 'outputDetails', 'parameters']);

export const getExecutionHistory: Operation = ({ executions }, members) => {
  const execution = executions.whole(takeExecutionArn(members));
  const reverse = members.boolean('reverseOrder') ?? false;
  const withData = members.boolean('includeExecutionData') ?? true;
  const page = takePage(members, `GetExecutionHistory ${execution.arn} ${reverse}`);
  const { history } = execution;
  const { items, ...more } = takeItems(page, reverse ? history.toReversed() : history, ({ id }) =>
    reverse ? -id : id,
  );
  return { events: items.map(event => asEvent(event, withData)), ...more };
};

function asEvent({ timestamp, ...event }: HistoryEvent, withData: boolean): object {
  const members = Object.entries(event).map(([name, value]) => {
    if (withData || !name.endsWith('EventDetails')) return [name, value];
    return [name, withoutData(value as EventDetails)];
  });
  return { timestamp: seconds(timestamp), ...Object.fromEntries(members) };
}

function withoutData(details: EventDetails): object {
  return Object.fromEntries(Object.entries(details).filter(([name]) => !DATA.has(name)));
}

export const describeMapRun: Operation = ({ executions }, members) => {
  const mapRun = executions.mapRun(takeMapRunArn(members));
  const { settings } = mapRun;
  return {
    mapRunArn: settings.arn,
    executionArn: settings.executionArn,
    status: mapRun.status,
    ...datesOf(mapRun),
    maxConcurrency: settings.maxConcurrency,
    toleratedFailurePercentage: settings.toleratedFailurePercentage ?? 0,
    toleratedFailureCount: settings.toleratedFailureCount ?? 0,
    itemCounts: countsOf(mapRun.counts),
    executionCounts: countsOf(mapRun.counts),
    redriveCount: 0,
  };
};

export const listMapRuns: Operation = ({ executions }, members) => {
  const execution = executions.whole(takeExecutionArn(members));
  const page = takePage(members, `ListMapRuns ${execution.arn}`);
  const numbered = execution.mapRuns.map((mapRun, index) => ({ mapRun, index }));
  const { items, ...more } = takeItems(page, numbered, ({ index }) => index);
  const mapRuns = items.map(({ mapRun }) => ({
    executionArn: mapRun.settings.executionArn,
    mapRunArn: mapRun.settings.arn,
    stateMachineArn: mapRun.settings.childMachineArn,
    ...datesOf(mapRun),
  }));
  return { mapRuns, ...more };
};

const datesOf = ({ startDate, stopDate }: MapRun) => ({
  startDate: seconds(startDate),
  ...optional('stopDate', stopDate && seconds(stopDate)),
});

/** Counts in the form of DescribeMapRun. The last three counts are 0, because the emulator has no ResultWriter and no RedriveExecution. */
const countsOf = (counts: MapRunCounts) => ({
  ...counts,
  resultsWritten: 0,
  failuresNotRedrivable: 0,
  pendingRedrive: 0,
});
