import type { ParallelState, StateGraph } from '../definition.ts';
import type { Json } from '../json.ts';
import { type Payload, payload } from '../payload.ts';
import { Fork } from './fork.ts';
import { runGraph } from './graph.ts';
import type { StateVisit } from './visit.ts';

/**
 * Runs one attempt of a Parallel state. The first branch that fails ends the others.
 * @returns the outputs of the branches, in their order
 */
export async function runParallel(visit: StateVisit, state: ParallelState): Promise<Payload> {
  const { line } = visit;
  const input = state.arguments === undefined ? visit.input : payload(await visit.evaluate(state.arguments));
  visit.checkSize(input);
  line.record('ParallelStateStarted');
  const fork = new Fork(line);
  const runBranch = async (graph: StateGraph, index: number): Promise<Json> => {
    const before = line.progress.part(index)?.output;
    if (before !== undefined) return before.value;
    const branch = fork.branch(index);
    try {
      const output = await runGraph(branch, graph, input);
      fork.join(index, branch, output, branch.lastEventId);
      return output.value;
    } catch (error) {
      fork.fail(index, branch, error);
      return null;
    }
  };
  const outputs = await Promise.all(state.branches.map(runBranch));
  fork.end();
  const result = payload(outputs);
  visit.take(result);
  line.recordAside('ParallelStateSucceeded');
  return result;
}
