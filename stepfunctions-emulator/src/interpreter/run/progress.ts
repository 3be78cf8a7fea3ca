import type { Batch, MapRun } from '../map/map-run.ts';
import type { Payload } from '../payload.ts';
import type { ChildExecution, MachineIdentity } from './child.ts';
import type { VariableScope } from './variables.ts';

/** The state that a line is in. */
export interface CurrentState {
  readonly name: string;
  readonly input: Payload;
  readonly enteredEventId: number;
  readonly enteredTime: number;
}

/** A branch or an iteration of the current state: what it returned, or how far it has got. */
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

  /** The line enters a state: what happened inside the one before no longer matters. */
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
