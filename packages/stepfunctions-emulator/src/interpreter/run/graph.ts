import type { Payload } from '../limits.ts';
import type { StateGraph } from '../load/states.ts';
import type { Line } from './line.ts';
import { Rounds } from './run.ts';
import { runState } from './state.ts';
import { StateVisit } from './visit.ts';

/**
 * @returns the output of the last state
 * @throws StateFailure when no Catch handles a failure; Cancelled when the execution, branch or iteration is cancelled
 */
export async function runGraph(line: Line, graph: StateGraph, input: Payload): Promise<Payload> {
  let current = input;
  let name: string | undefined = graph.startAt;
  const { engine } = line.run;
  const rounds = new Rounds(engine.clock);
  while (name !== undefined) {
    const turn = engine.pace.next();
    if (turn !== undefined) await turn;
    if (rounds.enter()) line.run.endLoop(name);
    const state = graph.states.get(name);
    if (state === undefined)
      throw new Error(`no state ${name}: the definition was not loaded by loadDefinition`);
    const step = await runState(new StateVisit(line, state, current));
    current = step.output;
    name = step.next;
  }
  return current;
}
