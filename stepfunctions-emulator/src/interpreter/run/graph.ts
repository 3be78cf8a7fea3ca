import type { StateGraph } from '../definition.ts';
import { Cancelled } from '../failure.ts';
import type { Line, Payload } from './run.ts';
import { runState } from './state.ts';
import { StateVisit } from './visit.ts';

/** The states for which AWS has an event that says they were cut off. */
const REPORTS_ABORT: ReadonlySet<string> = new Set(['Task', 'Wait', 'Map', 'Parallel']);

/**
 * Runs the states of a graph to its end: from its StartAt, or from where the line had got before a redrive.
 *
 * @returns the output of the last state
 * @throws StateFailure when a state fails and nothing catches it; Cancelled when the line is cancelled
 */
export async function runGraph(line: Line, graph: StateGraph, input: Payload): Promise<Payload> {
  let resumed = line.progress.current;
  let current = resumed?.input ?? input;
  let name: string | undefined = resumed?.name ?? graph.startAt;
  while (name !== undefined) {
    line.cancellation.throwIfCancelled();
    const state = graph.states.get(name);
    if (state === undefined)
      throw new Error(`no state ${name}: the definition was not loaded by loadDefinition`);
    const visit = new StateVisit(line, state, current, resumed);
    resumed = undefined;
    try {
      const step = await runState(visit);
      current = step.output;
      name = step.next;
    } catch (error) {
      if (error instanceof Cancelled && REPORTS_ABORT.has(state.type))
        line.record(`${state.type}StateAborted`);
      throw error;
    }
  }
  return current;
}
