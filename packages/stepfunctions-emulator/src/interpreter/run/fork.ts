import { CallFailure, failureAround, StateFailure } from '../failure.ts';
import type { Json } from '../json.ts';
import type { Payload } from '../limits.ts';
import type { Cancellation } from './cancellation.ts';
import type { Line, MapItem } from './line.ts';

/**
 * Records the events after a branch or iteration failed, in the order recorded on AWS. All these events have the same previous event: the
 * last event of the failed branch or iteration.
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
  line.run.events.add(`MapIteration${how}`, after, `mapIteration${how}`, details);
}

/** Types of states for whose abort AWS records an event, such as WaitStateAborted. */
const REPORTS_ABORT: ReadonlySet<string> = new Set(['Task', 'Wait', 'Map', 'Parallel']);

function recordState({ run, openState }: Line, after: number): void {
  if (openState === undefined || !REPORTS_ABORT.has(openState.type)) return;
  if (openState.mapRun?.status === 'RUNNING') run.events.add('MapRunAborted', after);
  run.events.add(`${openState.type}StateAborted`, after);
}

/** The branches or iterations of one attempt of a Parallel or inline Map. The first failure aborts all other branches or iterations. */
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

  get stopped(): boolean {
    return this.#cancellation.cancelled;
  }

  /**
   * @param work returns the output and the id of the last event
   * @returns the output; undefined when the branch or iteration failed or was aborted
   */
  async run(
    index: number,
    work: (part: Line) => Promise<{ readonly output: Payload; readonly endedEventId: number }>,
    item?: MapItem,
  ): Promise<Json | undefined> {
    const part = this.#line.branch(this.#cancellation, item);
    this.#line.openParts.set(index, part);
    try {
      const { output, endedEventId } = await work(part);
      this.#line.openParts.delete(index);
      this.#line.lastEventId = endedEventId;
      return output.value;
    } catch (error) {
      this.#fail(index, part, error);
      return undefined;
    } finally {
      part.variables.release();
    }
  }

  #fail(index: number, part: Line, error: unknown): void {
    if (this.stopped) return;
    this.#failure = error;
    this.#line.lastEventId = part.lastEventId;
    if (error instanceof StateFailure) recordPartFailed(this.#line, index, error);
    this.#cancellation.cancel();
  }

  /** @throws the failure of the branch or iteration that failed first; Cancelled when the whole Map or Parallel was cancelled */
  end(): void {
    this.#release();
    this.#line.cancellation.throwIfCancelled();
    if (this.#failure !== undefined) throw failureAround(this.#failure);
  }
}
