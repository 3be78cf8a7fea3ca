import { Execution } from 'stepfunctions-emulator';
import type { InvocationRecord } from '../local/functions/local-functions.ts';

/** Executions, children among them, of which the last failed call is remembered: what runs at a time, and more. */
const MOST = 1_000;

/** The last call of a function that failed in each execution that runs: what it printed says why. */
export class FailedCalls {
  readonly #byExecution = new Map<string, InvocationRecord>();

  add(record: InvocationRecord): void {
    const { executionArn, ok } = record;
    if (ok || executionArn === undefined) return;
    this.#byExecution.delete(executionArn);
    this.#byExecution.set(executionArn, record);
    // A call may fail after its execution has ended, which then asks no more for it.
    for (const oldest of this.#byExecution.keys()) {
      if (this.#byExecution.size <= MOST) return;
      this.#byExecution.delete(oldest);
    }
  }

  /**
   * Forgets what failed in an execution and its children.
   *
   * @returns its own last failed call, else the last one of its children; undefined when none failed
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

/** The children that the Map Runs of an execution started. */
export function childrenOf({ mapRuns }: Execution): Execution[] {
  return mapRuns.flatMap(({ executions }) => executions).filter(child => child instanceof Execution);
}
