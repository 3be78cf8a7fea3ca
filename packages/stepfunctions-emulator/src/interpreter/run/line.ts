import { Cancelled } from '../failure.ts';
import type { Json } from '../json.ts';
import type { MapRun } from '../map/map-run.ts';
import type { Cancellation } from './cancellation.ts';
import type { HeldData } from './held-data.ts';
import type { EventDetails } from './history.ts';
import type { Run } from './run.ts';
import type { VariableScope } from './variables.ts';

export interface MapItem {
  readonly index: number;
  readonly value: Json;
  readonly key?: string;
}

interface OpenState {
  readonly name: string;
  readonly type: string;
  readonly enteredEventId: number;
  mapRun?: MapRun;
}

/** A part of an execution whose states run one after another: the top level, a branch, or an iteration. */
export class Line {
  readonly run: Run;
  readonly variables: VariableScope;
  readonly cancellation: Cancellation;
  readonly item: MapItem | undefined;
  /** Undefined in a Standard execution: only the bill of an Express execution depends on the amount of data. */
  readonly held: HeldData | undefined;
  openState: OpenState | undefined;
  /** Index → running branch or iteration of the current Parallel or Map. */
  readonly openParts = new Map<number, Line>();
  lastEventId: number;

  constructor(
    run: Run,
    variables: VariableScope,
    cancellation: Cancellation,
    lastEventId: number,
    item?: MapItem,
    held?: HeldData,
  ) {
    this.run = run;
    this.variables = variables;
    this.cancellation = cancellation;
    this.lastEventId = lastEventId;
    this.item = item;
    this.held = held;
  }

  /**
   * Adds an event to the history. The id of the event becomes the previousEventId of the line's next event.
   * @throws Cancelled when the line was cancelled
   */
  record(type: string, detailsKey?: string, details?: EventDetails): number {
    this.lastEventId = this.recordAside(type, detailsKey, details);
    return this.lastEventId;
  }

  /** Adds an event that the line's next event does not follow: as on AWS, the next event's previousEventId is that of an earlier event. */
  recordAside(type: string, detailsKey?: string, details?: EventDetails): number {
    this.cancellation.throwIfCancelled();
    return this.run.events.add(type, this.lastEventId, detailsKey, details);
  }

  branch(cancellation: Cancellation, item: MapItem | undefined = this.item): Line {
    const variables = this.variables.inner();
    return new Line(this.run, variables, cancellation, this.lastEventId, item, this.held?.inner());
  }

  withItem(item: MapItem): Line {
    return new Line(this.run, this.variables, this.cancellation, this.lastEventId, item);
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancelTimer = this.run.engine.clock.schedule(ms, () => {
        forget();
        resolve();
      });
      const forget = this.cancellation.onCancel(() => {
        cancelTimer();
        reject(new Cancelled());
      });
    });
  }
}
