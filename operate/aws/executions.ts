import { setTimeout as sleep } from 'node:timers/promises';
import {
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  ListExecutionsCommand,
  paginateListStateMachines,
  type SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import type { OpenExecution } from '../changes.ts';
import { StateMachineNotFoundError } from '../errors.ts';
import { permitted } from './errors.ts';
import type { ExecutionState } from './executions-of-table.ts';

/**
 * Finds the ARNs of state machines by name; they contain the account, which the configuration does not know.
 *
 * @throws {StateMachineNotFoundError} when one does not exist
 */
export async function findStateMachines(
  client: SFNClient,
  names: readonly string[],
  where: () => string,
): Promise<ReadonlyMap<string, string>> {
  const found = await listStateMachines(client, names);
  const missing = names.filter(name => !found.has(name));
  if (missing.length > 0) {
    throw new StateMachineNotFoundError(
      `state machine: expected ${missing.join(', ')} at ${where()}, got none of that name; deploy first, or look ` +
        'whether account, region and AWS_ENDPOINT_URL_SFN are the right ones',
    );
  }
  return new Map([...found].map(([name, { arn }]) => [name, arn]));
}

export interface ListedStateMachine {
  readonly arn: string;
  readonly createdAt: Date | undefined;
}

/** The state machines with these names that exist. */
export async function listStateMachines(
  client: SFNClient,
  names: readonly string[],
): Promise<ReadonlyMap<string, ListedStateMachine>> {
  const found = new Map<string, ListedStateMachine>();
  for await (const { stateMachines = [] } of paginateListStateMachines({ client }, { maxResults: 1000 })) {
    for (const { name, stateMachineArn: arn, creationDate: createdAt } of stateMachines) {
      if (name !== undefined && arn !== undefined && names.includes(name))
        found.set(name, { arn, createdAt });
    }
    if (found.size === names.length) break;
  }
  return found;
}

/** The executions of one state machine, by name. */
export interface Executions {
  /**
   * Starts an execution. If one with this name and input is running, it counts as started.
   *
   * @returns false when an execution with this name has already ended
   */
  start(name: string, input: object): Promise<boolean>;
  /** Undefined when Step Functions doesn't know the execution (any more, or yet). */
  describe(name: string): Promise<ExecutionState | undefined>;
}

/** @param name `*` for all executions, as in IAM */
export function executionArnOf(stateMachineArn: string, name: string): string {
  return `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${name}`;
}

export function executionsOf(sfn: SFNClient, stateMachineArn: string): Executions {
  const arnOf = (name: string) => executionArnOf(stateMachineArn, name);
  return {
    async start(name, input) {
      try {
        await sfn.send(new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify(input) }));
        return true;
      } catch (error) {
        if (error instanceof ExecutionAlreadyExists) return false;
        throw error;
      }
    },
    async describe(name) {
      try {
        const answer = await sfn.send(new DescribeExecutionCommand({ executionArn: arnOf(name) }));
        const { status = 'RUNNING', startDate: startedAt, output, error, cause } = answer;
        return { status, startedAt, output, error, cause };
      } catch (error) {
        if (error instanceof ExecutionDoesNotExist) return undefined;
        throw error;
      }
    },
  };
}

/** Milliseconds between the first two requests: short for short executions; the wait grows, so that long ones cause few requests. */
const FIRST_WAIT_MS = 200;
const MAX_WAIT_MS = 5_000;

/**
 * Waits until an execution has ended. DescribeExecution lags: it may not know a new execution for a moment.
 *
 * @param signal stops the waiting; the execution continues
 * @param onWait called after each answer that shows no end yet
 */
export async function untilEnd(
  name: string,
  executions: Pick<Executions, 'describe'>,
  signal: AbortSignal,
  onWait: () => Promise<void> = async () => undefined,
): Promise<ExecutionState> {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 1.5, MAX_WAIT_MS)) {
    const state = await executions.describe(name);
    if (state !== undefined && state.status !== 'RUNNING') return state;
    await onWait();
    await sleep(wait, undefined, { signal });
  }
}

/**
 * Running executions, newest first.
 *
 * @param most how many are read at most, up to 1,000
 * @throws {MissingPermissionError}, or the SDK's error
 */
export async function openExecutions(
  sfn: SFNClient,
  stateMachineArn: string,
  most = 1000,
): Promise<OpenExecution[]> {
  const { executions = [] } = await permitted('states:ListExecutions', stateMachineArn, () =>
    sfn.send(new ListExecutionsCommand({ stateMachineArn, statusFilter: 'RUNNING', maxResults: most })),
  );
  return executions.map(({ name = '', startDate }) => ({ name, startedAt: startDate ?? new Date(0) }));
}
