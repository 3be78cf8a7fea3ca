import type { Payload } from '../limits.ts';
import type { ChildExecution, ExecutionStatus } from '../run/child.ts';

/** The input of one child execution, and the number of its items. */
export interface Batch {
  readonly input: Payload;
  readonly items: number;
}

/** Numbers of a Map Run's items, or executions, by their status. */
export interface MapRunCounts {
  pending: number;
  running: number;
  succeeded: number;
  failed: number;
  timedOut: number;
  aborted: number;
  total: number;
  resultsWritten: number;
}

const OUTCOME = {
  RUNNING: 'running',
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
  TIMED_OUT: 'timedOut',
  ABORTED: 'aborted',
} as const satisfies Record<ExecutionStatus, keyof MapRunCounts>;

export interface MapRunSettings {
  readonly arn: string;
  readonly executionArn: string;
  readonly stateMachineArn: string;
  /** The ARN of the children's state machine. */
  readonly childMachineArn: string;
  readonly maxConcurrency: number;
  readonly toleratedFailureCount: number | undefined;
  readonly toleratedFailurePercentage: number | undefined;
}

/** The child executions of one entry into a distributed Map, as DescribeMapRun shows them. */
export class MapRun {
  readonly settings: MapRunSettings;
  /** Epoch milliseconds. */
  readonly startDate: number;
  stopDate: number | undefined;
  status: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'ABORTED' = 'RUNNING';
  /** Children in the order of their start. */
  readonly executions: ChildExecution[] = [];
  readonly itemCounts: MapRunCounts;
  readonly executionCounts: MapRunCounts;

  constructor(settings: MapRunSettings, startDate: number, items: number, executions: number) {
    this.settings = settings;
    this.startDate = startDate;
    this.itemCounts = countsFor(items);
    this.executionCounts = countsFor(executions);
  }

  /** @param items how many items the child works on */
  childStarted(child: ChildExecution, items: number): void {
    this.executions.push(child);
    this.#move('pending', 'running', items);
  }

  childEnded(child: ChildExecution, items: number): void {
    this.#move('running', OUTCOME[child.status], items);
  }

  /** Whether there are more failures than the Map tolerates. Without a tolerance, one failure is too many. */
  get tooManyFailures(): boolean {
    const { toleratedFailureCount: count, toleratedFailurePercentage: percentage } = this.settings;
    const failed = this.itemCounts.failed + this.itemCounts.timedOut;
    if (failed === 0) return false;
    if (count === undefined && percentage === undefined) return true;
    if (count !== undefined && failed > count) return true;
    return percentage !== undefined && (failed / this.itemCounts.total) * 100 > percentage;
  }

  end(status: 'SUCCEEDED' | 'FAILED' | 'ABORTED', now: number): void {
    this.status = status;
    this.stopDate = now;
  }

  #move(from: keyof MapRunCounts, to: keyof MapRunCounts, items: number): void {
    this.itemCounts[from] -= items;
    this.itemCounts[to] += items;
    this.executionCounts[from] -= 1;
    this.executionCounts[to] += 1;
  }
}

function countsFor(total: number): MapRunCounts {
  return {
    pending: total,
    running: 0,
    succeeded: 0,
    failed: 0,
    timedOut: 0,
    aborted: 0,
    total,
    resultsWritten: 0,
  };
}
