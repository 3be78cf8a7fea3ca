import { Execution, expressBill, InvalidStartError, type StartOptions } from '../../interpreter/index.ts';
import { takeMachineArn } from '../arns.ts';
import { type ApiContext, isMetadataOnly, type Operation, optional, seconds } from '../context.ts';
import { ApiError, typeNotSupported } from '../errors.ts';
import { type ExecutionSummary, executionAlreadyExists, type StartedExecution } from '../executions.ts';
import type { Members } from '../members.ts';
import type { StateMachine } from '../state-machine.ts';

const INPUT_LENGTH = { max: 262_144 };
const NAME_LENGTH = { min: 1, max: 80 };

export const startExecution: Operation = (context, members) => {
  const { execution } = startAlone(context, members);
  return { executionArn: execution.arn, startDate: seconds(execution.startDate) };
};

/** Starts an execution without waiting for its end. */
export const startAlone = (context: ApiContext, members: Members): StartedExecution =>
  start(context, context.stateMachines.get(takeMachineArn(members)), members);

/** Answers when the execution has ended, whatever its status; it continues when the caller disconnects. */
export const startSyncExecution: Operation = async (context, members) => {
  const stateMachine = context.stateMachines.get(takeMachineArn(members));
  if (stateMachine.type !== 'EXPRESS') throw typeNotSupported();
  const metadataOnly = isMetadataOnly(members);
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
    // The API of a synchronous execution has no status ABORTED; the service ended it.
    status: execution.status === 'ABORTED' ? 'FAILED' : execution.status,
    ...(!metadataOnly && dataOf(execution)),
    billingDetails: {
      billedMemoryUsedInMB: billed.memoryMb,
      billedDurationInMilliseconds: billed.durationMs,
    },
  };
};

/** Input and result of an execution, as the descriptions show them. */
export function dataOf(execution: ExecutionSummary): object {
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
): StartedExecution<Execution> {
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

/** A start with the same name and input while the execution runs returns the same execution. */
function again(
  known: StartedExecution | undefined,
  stateMachine: StateMachine,
  name: string,
  input: unknown,
): StartedExecution<Execution> {
  const execution = known?.execution;
  if (known !== undefined && execution instanceof Execution && execution.status === 'RUNNING') {
    if (JSON.stringify(execution.input) === JSON.stringify(input)) return { ...known, execution };
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
