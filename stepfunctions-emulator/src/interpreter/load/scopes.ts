import type { Assign, State, StateGraph } from '../definition.ts';
import type { DefinitionProblem } from './problems.ts';

/**
 * A variable that an outer scope assigns can't be assigned in a Parallel branch or an item processor inside of it:
 * the inner assignment would be lost, and AWS refuses the definition ("Variable scope" in the Developer Guide).
 */
export function checkVariableScopes(graph: StateGraph, problems: DefinitionProblem[]): void {
  checkGraph(graph, new Map(), '', problems);
}

function checkGraph(
  graph: StateGraph,
  outer: ReadonlyMap<string, string>,
  path: string,
  problems: DefinitionProblem[],
): void {
  const visible = new Map(outer);
  for (const state of graph.states.values()) {
    for (const name of assignedBy(state)) {
      const where = outer.get(name);
      if (where === undefined) {
        visible.set(name, state.name);
        continue;
      }
      const expected = 'a variable name that no outer scope assigns';
      problems.push({
        path: `${path}/States/${state.name}/Assign/${name}`,
        expected,
        got: `the variable that ${where} assigns`,
      });
    }
  }
  for (const state of graph.states.values()) {
    const here = `${path}/States/${state.name}`;
    if (state.type === 'Map') checkGraph(state.processor, visible, `${here}/ItemProcessor`, problems);
    if (state.type !== 'Parallel') continue;
    state.branches.forEach((branch, index) => {
      checkGraph(branch, visible, `${here}/Branches/${index}`, problems);
    });
  }
}

function assignedBy(state: State): Set<string> {
  const assigns: Array<Assign | undefined> = [];
  if ('assign' in state) assigns.push(state.assign);
  if (state.type === 'Choice') assigns.push(...state.choices.map(rule => rule.assign));
  if ('catch' in state) assigns.push(...state.catch.map(catcher => catcher.assign));
  return new Set(assigns.flatMap(assign => (assign ?? []).map(([name]) => name)));
}
