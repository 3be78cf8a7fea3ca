import type { ChildExecution, ExecutionStatus } from '../run/child.ts';

/** Number of a Map Run's items in each status. Each item has one child execution, so these also count the child executions. */
export interface MapRunCounts {
  pending: number;
  running: number;
  succeeded: number;
  failed: number;
  timedOut: number;
  aborted: number;
  total: number;
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
  readonly childMachineArn: string;
  readonly maxConcurrency: number;
  readonly toleratedFailureCount: number | undefined;
  readonly toleratedFailurePercentage: number | undefined;
}

export class MapRun {
  readonly settings: MapRunSettings;
  /** Epoch milliseconds. */
  readonly startDate: number;
  stopDate: number | undefined;
  status: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'ABORTED' = 'RUNNING';
  readonly executions: ChildExecution[] = [];
  readonly counts: MapRunCounts;

  constructor(settings: MapRunSettings, startDate: number, items: number) {
    this.settings = settings;
    this.startDate = startDate;
    this.counts = {
      pending: items,
      running: 0,
      succeeded: 0,
      failed: 0,
      timedOut: 0,
      aborted: 0,
      total: items,
    };
  }

  childStarted(child: ChildExecution): void {
    this.executions.push(child);
    this.#move('pending', 'running');
  }

  childEnded(child: ChildExecution): void {
    this.#move('running', OUTCOME[child.status]);
  }

  /** Whether more child executions failed or timed out than the Map tolerates. Without a tolerance, one failure is too many. */
  get tooManyFailures(): boolean {
    const { toleratedFailureCount: count, toleratedFailurePercentage: percentage } = this.settings;
    const failed = this.counts.failed + this.counts.timedOut;
    if (failed === 0) return false;
    if (count === undefined && percentage === undefined) return true;
    if (count !== undefined && failed > count) return true;
    return percentage !== undefined && (failed / this.counts.total) * 100 > percentage;
  }

  end(status: 'SUCCEEDED' | 'FAILED' | 'ABORTED', now: number): void {
    this.status = status;
    this.stopDate = now;
  }

  #move(from: keyof MapRunCounts, to: keyof MapRunCounts): void {
    this.counts[from] -= 1;
    this.counts[to] += 1;
  }
}
