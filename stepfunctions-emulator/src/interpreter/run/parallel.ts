import type { ParallelState, StateGraph } from '../definition.ts';
import { Cancelled } from '../failure.ts';
import type { Json } from '../json.ts';
import { runGraph } from './graph.ts';
import { type Payload, payload } from './run.ts';
import type { StateVisit } from './visit.ts';

/**
 * One attempt of a Parallel state. The first branch that fails ends the others.
 *
 * @returns the outputs of the branches, in their order
 */
export async function runParallel(visit: StateVisit, state: ParallelState): Promise<Payload> {
  const { line } = visit;
  const input = state.arguments === undefined ? visit.input : payload(await visit.evaluate(state.arguments));
  visit.checkSize(input);
  line.record('ParallelStateStarted');
  const { cancellation, release } = line.cancellation.part();
  let failure: unknown;
  const runBranch = async (graph: StateGraph, index: number): Promise<Json> => {
    const before = line.progress.part(index)?.output;
    if (before !== undefined) return before.value;
    const branch = line.branch(index, cancellation);
    try {
      const output = await runGraph(branch, graph, input);
      line.join(index, branch, output);
      return output.value;
    } catch (error) {
      if (!(error instanceof Cancelled)) failure ??= error;
      cancellation.cancel();
      return null;
    } finally {
      // What comes after the branches follows the last event of the one that ended last.
      line.lastEventId = branch.lastEventId;
    }
  };
  const outputs = await Promise.all(state.branches.map(runBranch));
  release();
  line.cancellation.throwIfCancelled();
  if (failure !== undefined) throw failure;
  const result = payload(outputs);
  visit.checkSize(result);
  line.record('ParallelStateSucceeded');
  return result;
}
