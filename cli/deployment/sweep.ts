import {
  DescribeExecutionCommand,
  type DescribeExecutionCommandOutput,
  type ExecutionListItem,
  type SFNClient,
} from '@aws-sdk/client-sfn';
import {
  readSweepInput,
  type SweepRequest,
  type TickSettings,
} from '../../functions/plan-sweep/sweep-input.ts';
import type { ListedFailure } from '../../statemachine/contract.ts';
import { failureInWords } from './failure-in-words.ts';
import { outcomeOf, type SweepOutcome } from './sweep-outcome.ts';

/** What started an execution, as far as its input tells. */
export type SweepKind = 'tick' | 'reconcile' | 'replay' | 'dry run' | 'unknown';

/** An execution of the sweep. */
export interface Sweep {
  readonly name: string;
  readonly arn: string;
  readonly kind: SweepKind;
  /** As Step Functions has it: SUCCEEDED, FAILED, TIMED_OUT, ABORTED, RUNNING or PENDING_REDRIVE. */
  readonly status: string;
  readonly startedAt: Date;
  /** Undefined while it runs. */
  readonly stoppedAt: Date | undefined;
  /** Undefined when it reports nothing. */
  readonly outcome: SweepOutcome | undefined;
  /** In a person's words; undefined when it did not fail. */
  readonly failure: string | undefined;
  /** Some of the keys that were not deleted. */
  readonly failedKeys: readonly ListedFailure[];
  /** What it was asked for; undefined when its input is not a sweep's. */
  readonly request: SweepRequest | undefined;
}

/** It succeeded, and had nothing to do. */
export function isIdle({ status, outcome }: Sweep): boolean {
  return status === 'SUCCEEDED' && outcome?.found === 0;
}

/** Asks for one execution as a whole. */
export async function describeSweep(
  sfn: SFNClient,
  { executionArn }: Pick<ExecutionListItem, 'executionArn'>,
  settings: TickSettings,
): Promise<Sweep> {
  return sweepOf(await sfn.send(new DescribeExecutionCommand({ executionArn })), settings);
}

export function sweepOf(
  described: Omit<DescribeExecutionCommandOutput, '$metadata'>,
  settings: TickSettings,
): Sweep {
  const { name = '', executionArn: arn = '', status = 'RUNNING', input, output, error, cause } = described;
  const startedAt = described.startDate ?? new Date(0);
  const given = parse(input);
  const report = parse(output ?? cause);
  const outcome = outcomeOf(report);
  const failedKeys = Array.isArray(report['failedKeys']) ? (report['failedKeys'] as ListedFailure[]) : [];
  return {
    name,
    arn,
    kind: kindOf(given),
    status,
    startedAt,
    stoppedAt: described.stopDate,
    outcome,
    failure: failureInWords({ status, error, cause, outcome, failedKeys }),
    failedKeys,
    request: requestOf(given, startedAt, settings),
  };
}

function kindOf(input: Readonly<Record<string, unknown>>): SweepKind {
  if ('scheduledTime' in input) return 'lookbackMinutes' in input ? 'reconcile' : 'tick';
  if (!('from' in input)) return 'unknown';
  return input['dryRun'] === true ? 'dry run' : 'replay';
}

function requestOf(input: unknown, startedAt: Date, settings: TickSettings): SweepRequest | undefined {
  try {
    return readSweepInput(input, startedAt.getTime(), settings);
  } catch {
    return undefined; // it failed for that
  }
}

function parse(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {}; // a cause in prose
  }
}
