import { CallFailure, failureAround, StateFailure } from '../failure.ts';
import type { Payload } from '../limits.ts';
import type { Cancellation } from './cancellation.ts';
import type { Line, MapItem } from './line.ts';

/**
 * Records the events of a branch or an iteration that fails, in the order recorded on AWS: first the failed iteration; then its Task,
 * whose failed call counts as aborted; then the other branches or iterations, each before its open states. All of these events follow the
 * event of the failure.
 */
function recordPartFailed(line: Line, index: number, failure: unknown): void {
  const failed = line.openParts.get(index);
  if (failed === undefined) return;
  line.openParts.delete(index);
  const after = failed.lastEventId;
  recordIteration(line, index, 'Failed', after);
  if (failed.openState?.type === 'Task' && failure instanceof CallFailure) recordState(failed, after);
  recordPartsAborted(line, after);
}

function recordPartsAborted(line: Line, after: number): void {
  for (const [index, part] of line.openParts) {
    recordIteration(line, index, 'Aborted', after);
    recordState(part, after);
    recordPartsAborted(part, after);
  }
  line.openParts.clear();
}

function recordIteration(line: Line, index: number, how: 'Failed' | 'Aborted', after: number): void {
  if (line.openState?.type !== 'Map') return;
  const details = { name: line.openState.name, index };
  line.run.history.add(`MapIteration${how}`, after, `mapIteration${how}`, details);
}

/** Types of states for which AWS records an event when they are aborted. */
const REPORTS_ABORT: ReadonlySet<string> = new Set(['Task', 'Wait', 'Map', 'Parallel']);

function recordState({ run, progress, openState }: Line, after: number): void {
  if (openState === undefined || !REPORTS_ABORT.has(openState.type)) return;
  if (progress.mapRun?.mapRun.status === 'RUNNING') run.history.add('MapRunAborted', after);
  run.history.add(`${openState.type}StateAborted`, after);
}

/** The branches of one attempt of a Parallel, or the iterations of a Map. The first failure aborts the others. */
export class Fork {
  readonly #line: Line;
  readonly #cancellation: Cancellation;
  readonly #release: () => void;
  #failure: unknown;

  constructor(line: Line) {
    this.#line = line;
    const { cancellation, release } = line.cancellation.part();
    this.#cancellation = cancellation;
    this.#release = release;
    line.openParts.clear();
  }

  /** Whether nothing more may be started. */
  get stopped(): boolean {
    return this.#cancellation.cancelled;
  }

  branch(index: number, item?: MapItem): Line {
    return this.#line.branch(index, this.#cancellation, item);
  }

  /**
   * Records that a branch or iteration has returned.
   * @param lastEventId what comes after all of them follows this event of the one that ended last
   */
  join(index: number, branch: Line, output: Payload, lastEventId: number): void {
    this.#line.join(index, branch, output);
    this.#line.lastEventId = lastEventId;
  }

  /** Records that a branch or iteration has thrown. */
  fail(index: number, branch: Line, error: unknown): void {
    if (this.stopped) return;
    this.#failure = error;
    this.#line.lastEventId = branch.lastEventId;
    if (error instanceof StateFailure) recordPartFailed(this.#line, index, error);
    this.#cancellation.cancel();
  }

  /** @throws what the first one failed with; Cancelled when all were cut off from outside */
  end(): void {
    this.#release();
    this.#line.cancellation.throwIfCancelled();
    if (this.#failure !== undefined) throw failureAround(this.#failure);
  }
}
