import { Execution } from 'stepfunctions-emulator';
import type { InvocationRecord } from '../local/functions/local-functions.ts';

/** The most executions, with their children, whose last failed call is remembered: more than run at the same time. */
const MOST = 1_000;

/** The last failed call of a function in each running execution. Its log lines explain the failure. */
export class FailedCalls {
  readonly #byExecution = new Map<string, InvocationRecord>();

  add(record: InvocationRecord): void {
    const { executionArn, ok } = record;
    if (ok || executionArn === undefined) return;
    this.#byExecution.delete(executionArn);
    this.#byExecution.set(executionArn, record);
    // A call may fail after its execution has ended: nobody takes such an entry, so the oldest are dropped.
    for (const oldest of this.#byExecution.keys()) {
      if (this.#byExecution.size <= MOST) return;
      this.#byExecution.delete(oldest);
    }
  }

  /**
   * Removes and returns the failed calls of an execution and its children.
   *
   * @returns its own last failed call, or else the last one of its children; undefined when none failed
   */
  take(execution: Execution): InvocationRecord | undefined {
    const own = this.#byExecution.get(execution.arn);
    this.#byExecution.delete(execution.arn);
    const ofChildren = childrenOf(execution)
      .map(child => this.take(child))
      .filter(record => record !== undefined)
      .sort((one, other) => one.startedAt - other.startedAt);
    return own ?? ofChildren.at(-1);
  }
}

/** Child executions that the Map Runs of an execution started. */
export function childrenOf({ mapRuns }: Execution): Execution[] {
  return mapRuns.flatMap(({ executions }) => executions).filter(child => child instanceof Execution);
}
