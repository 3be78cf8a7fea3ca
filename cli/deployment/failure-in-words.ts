import { BUSY, type ListedFailure, REFUSED, SWEEP_INCOMPLETE } from '../../statemachine/contract.ts';
import type { SweepOutcome } from './sweep-outcome.ts';

/** How an execution ended, as Step Functions has it. */
export interface EndedExecution {
  readonly status: string;
  readonly error: string | undefined;
  readonly cause: string | undefined;
  readonly outcome: SweepOutcome | undefined;
  readonly failedKeys: readonly ListedFailure[];
}

/** Characters of a message that are shown. */
const MESSAGE_LENGTH = 200;

/** Why an execution did not succeed, as a sentence without its full stop. It names no keys. Undefined when it succeeded or runs. */
export function failureInWords(execution: EndedExecution): string | undefined {
  const { status, error = '', cause } = execution;
  const message = messageOf(cause);
  switch (status) {
    case 'TIMED_OUT':
      return 'it ran for longer than it may, and was stopped';
    case 'ABORTED':
      return `somebody stopped it${message && `: ${message}`}`;
    case 'FAILED':
      break;
    default:
      return undefined;
  }
  if (error === SWEEP_INCOMPLETE) return incomplete(execution);
  if (error === 'InvalidExecutionInputError') return `its input is wrong: ${message}`;
  if (error === BUSY)
    return `DynamoDB throttled it, or did not answer, for longer than a sweep waits: ${message}`;
  if (error === REFUSED)
    return 'Lambda refused to run its functions: the account runs as many at once as it may';
  if (/AccessDenied|not authorized/i.test(`${error} ${message}`))
    return `a role lacks a permission: ${message}`;
  if (error === 'States.Timeout' || error === 'Sandbox.Timedout')
    return `a function did not answer in time: ${message}`;
  if (/^(Lambda|Runtime)\./.test(error)) return `a function could not be run: ${error}: ${message}`;
  return [error || 'it failed without an error', message].filter(part => part).join(': ');
}

function incomplete({ outcome, failedKeys }: EndedExecution): string {
  if (outcome === undefined) return 'something was left that it could not delete';
  const { found, failed, shardsFailed } = outcome;
  const reasons = [...new Set(failedKeys.map(({ reason }) => reason))].join(', ');
  const parts = [
    ...(failed > 0
      ? [`${count(failed)} of ${count(found)} items could not be deleted${reasons && ` (${reasons})`}`]
      : []),
    ...(shardsFailed > 0
      ? [`${count(shardsFailed)} ${shardsFailed === 1 ? 'child' : 'children'} did not get through`]
      : []),
  ];
  return parts.join(', and ') || 'there was more to sweep than one execution may';
}

/** The message in what Lambda gives as a cause; else its beginning. */
function messageOf(cause: string | undefined): string {
  const text = messageIn(cause) ?? cause ?? '';
  const [line = ''] = text.split('\n');
  return line.length > MESSAGE_LENGTH ? `${line.slice(0, MESSAGE_LENGTH)}…` : line;
}

function messageIn(cause: string | undefined): string | undefined {
  try {
    const value = JSON.parse(cause ?? '') as { readonly errorMessage?: unknown };
    return typeof value?.errorMessage === 'string' ? value.errorMessage : undefined;
  } catch {
    return undefined;
  }
}

const count = (value: number): string => value.toLocaleString('en-US');
