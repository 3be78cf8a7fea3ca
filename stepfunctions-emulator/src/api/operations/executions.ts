import { Execution, NotRedrivableError } from '../../interpreter/index.ts';
import { takeExecutionArn, takeMachineArn, takeMapRunArn } from '../arns.ts';
import { isMetadataOnly, type Operation, optional, seconds } from '../context.ts';
import { ApiError, executionDoesNotExist, typeNotSupported, validationError } from '../errors.ts';
import { childrenOf, type ExecutionSummary, FORGOTTEN } from '../executions.ts';
import { takeItems, takePage } from '../paging.ts';
import { dataOf } from './start-execution.ts';

const STATUSES = ['ABORTED', 'FAILED', 'PENDING_REDRIVE', 'RUNNING', 'SUCCEEDED', 'TIMED_OUT'] as const;

export const describeExecution: Operation = ({ executions }, members) => {
  const arn = takeExecutionArn(members, ['execution', 'express']);
  // AWS describes only the Express executions that a Map Run started: their machine is Machine/Label.
  if (/:express:[^/:]+:/.test(arn)) takeExecutionArn(members);
  const { execution, started } = executions.get(arn);
  return {
    ...summaryOf(started.execution === execution ? started : { execution }),
    ...(!isMetadataOnly(members) && dataOf(execution)),
    ...redriveStatusOf(execution),
  };
};

export const listExecutions: Operation = ({ executions, stateMachines }, members) => {
  if (members.has('stateMachineArn') === members.has('mapRunArn')) {
    throw validationError(
      "Value at 'stateMachineArn' failed to satisfy constraint: either stateMachineArn or mapRunArn must be given",
    );
  }
  const status = members.oneOf('statusFilter', STATUSES);
  const redriven = members.oneOf('redriveFilter', ['NOT_REDRIVEN', 'REDRIVEN']);
  const matches = (execution: ExecutionSummary) =>
    (status === undefined || execution.status === status) &&
    (redriven === undefined || execution.redriveCount > 0 === (redriven === 'REDRIVEN'));
  const list = (page: ReturnType<typeof takePage>, all: (Summarized & { sequence: number })[]) => {
    const { items, ...more } = takeItems(
      page,
      all.filter(({ execution }) => matches(execution)),
      // The execution started last comes first.
      ({ sequence }) => -sequence,
    );
    return { executions: items.map(summaryOf), ...more };
  };
  if (members.has('mapRunArn')) {
    const arn = takeMapRunArn(members);
    const children = childrenOf(executions.mapRun(arn).mapRun);
    const numbered = children.map((execution, sequence) => ({ execution, sequence })).reverse();
    return list(takePage(members, `ListExecutions ${arn}`), numbered);
  }
  const arn = takeMachineArn(members);
  if (stateMachines.get(arn).type === 'EXPRESS') throw typeNotSupported();
  return list(takePage(members, `ListExecutions ${arn}`), [...executions.of(arn)]);
};

/** For an execution that has ended, the answer contains its end time. */
export const stopExecution: Operation = ({ executions }, members) => {
  const { execution } = executions.get(takeExecutionArn(members));
  const error = members.optionalString('error', { max: 256 });
  const cause = members.optionalString('cause', { max: 32_768 });
  if (execution instanceof Execution) execution.stop(error, cause);
  return { stopDate: seconds(execution.stopDate ?? execution.startDate) };
};

export const redriveExecution: Operation = async ({ executions }, members) => {
  const arn = takeExecutionArn(members);
  const token = members.optionalString('clientToken', { min: 1, max: 64 });
  const { execution } = executions.get(arn);
  if (execution.mapRunArn !== undefined) throw notRedrivable(execution);
  const started = executions.find(arn);
  if (started === undefined) throw executionDoesNotExist(arn);
  if (token === undefined || started.redriveToken !== token) {
    if (!(execution instanceof Execution)) throw notRedrivable(execution);
    try {
      await executions.redrive({ ...started, execution });
    } catch (error) {
      if (error instanceof NotRedrivableError) throw notRedrivable(execution, error.message);
      throw error;
    }
    started.redriveToken = token;
  }
  return { redriveDate: seconds(execution.redriveDate ?? execution.startDate) };
};

interface Summarized {
  readonly execution: ExecutionSummary;
}

/** The fields of an execution that lists and descriptions share. */
function summaryOf({ execution }: Summarized): object {
  const { stopDate, redriveDate } = execution;
  return {
    executionArn: execution.arn,
    stateMachineArn: execution.machine.arn,
    name: execution.name,
    status: execution.status,
    startDate: seconds(execution.startDate),
    ...optional('stopDate', stopDate && seconds(stopDate)),
    ...optional('mapRunArn', execution.mapRunArn),
    redriveCount: execution.redriveCount,
    ...optional('redriveDate', redriveDate && seconds(redriveDate)),
  };
}

interface RedriveStatus {
  readonly redriveStatus: 'REDRIVABLE' | 'NOT_REDRIVABLE' | 'REDRIVABLE_BY_MAP_RUN';
  readonly redriveStatusReason?: string;
}

function redriveStatusOf(execution: ExecutionSummary): RedriveStatus {
  const { status, machine, mapRunArn } = execution;
  if (machine.type === 'EXPRESS') {
    const redriveStatusReason = 'Execution is of type EXPRESS and cannot be redriven';
    return { redriveStatus: 'NOT_REDRIVABLE', redriveStatusReason };
  }
  if (status === 'RUNNING' || status === 'SUCCEEDED') {
    const redriveStatusReason = `Execution is ${status} and cannot be redriven`;
    return { redriveStatus: 'NOT_REDRIVABLE', redriveStatusReason };
  }
  if (!(execution instanceof Execution)) {
    return { redriveStatus: 'NOT_REDRIVABLE', redriveStatusReason: FORGOTTEN };
  }
  return { redriveStatus: mapRunArn === undefined ? 'REDRIVABLE' : 'REDRIVABLE_BY_MAP_RUN' };
}

function notRedrivable(execution: ExecutionSummary, why?: string): ApiError {
  const { redriveStatus, redriveStatusReason } = redriveStatusOf(execution);
  const message = redriveStatusReason ?? why ?? `Execution is ${redriveStatus}: redrive what started it`;
  return new ApiError('ExecutionNotRedrivable', message);
}
