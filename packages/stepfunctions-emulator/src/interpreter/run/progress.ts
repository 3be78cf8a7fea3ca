import type { Payload } from '../limits.ts';
import type { Batch, MapRun } from '../map/map-run.ts';
import type { ChildExecution, MachineIdentity } from './child.ts';
import type { VariableScope } from './variables.ts';

/** The current state of a line. */
export interface CurrentState {
  readonly name: string;
  readonly input: Payload;
  readonly enteredEventId: number;
  readonly enteredTime: number;
}

/** A branch or an iteration of the current state: its output, or its progress. */
export type Part =
  | { readonly output: Payload }
  | { readonly output?: never; readonly progress: Progress; readonly variables: VariableScope };

/** The Map Run of the current state. */
export interface MapRunProgress {
  readonly mapRun: MapRun;
  readonly machine: MachineIdentity;
  readonly batches: readonly Batch[];
  /** Children by the index of their batch; some may not have been started. */
  readonly children: ChildExecution[];
}

/** Progress of a line of states: the data that a redrive needs to continue where it ended. */
export class Progress {
  current: CurrentState | undefined;
  mapRun: MapRunProgress | undefined;
  readonly #parts = new Map<number, Part>();

  /** Enters a state: the progress inside the previous one is discarded. */
  enter(state: CurrentState): void {
    this.forgetParts();
    this.current = state;
  }

  part(index: number): Part | undefined {
    return this.#parts.get(index);
  }

  setPart(index: number, part: Part): void {
    this.#parts.set(index, part);
  }

  /** Discards the progress of the current state, which starts again, as in a retry. */
  forgetParts(): void {
    for (const part of this.#parts.values()) {
      if (part.output !== undefined) continue;
      part.progress.forgetParts();
      part.variables.release();
    }
    this.#parts.clear();
    this.mapRun = undefined;
  }
}
