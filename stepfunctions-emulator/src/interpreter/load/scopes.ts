import type { Assign, State, StateGraph } from '../definition.ts';
import type { DefinitionProblem } from './problems.ts';

/** Variable → the state that assigns it. */
type Assigned = Map<string, string>;

/**
 * Checks the scopes of variables: one that an outer scope assigns cannot be assigned in a Parallel branch or an item processor inside of
 * it. The inner assignment would be lost, and AWS refuses the definition ("Variable scope" in the Developer Guide). Assignments in the
 * Parallel's or the Map's own Catch are allowed, as recorded on AWS.
 */
export function checkVariableScopes(graph: StateGraph, problems: DefinitionProblem[]): void {
  checkGraph(graph, new Map(), '', problems);
}

function checkGraph(
  graph: StateGraph,
  outer: Readonly<Assigned>,
  path: string,
  problems: DefinitionProblem[],
): void {
  for (const state of graph.states.values()) {
    for (const name of new Set([...assignedBy(state), ...assignedByCatch(state)])) {
      const where = outer.get(name);
      if (where === undefined) continue;
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
    for (const [field, inner] of innerGraphs(state)) {
      checkGraph(inner, visibleIn(state, graph, outer), `${here}/${field}`, problems);
    }
  }
}

function innerGraphs(state: State): Array<readonly [field: string, graph: StateGraph]> {
  if (state.type === 'Map') return [['ItemProcessor', state.processor]];
  if (state.type !== 'Parallel') return [];
  return state.branches.map((branch, index) => [`Branches/${index}`, branch] as const);
}

/** The variables of a Parallel or a Map that the states inside of it can read. */
function visibleIn(owner: State, graph: StateGraph, outer: Readonly<Assigned>): Assigned {
  const visible = new Map(outer);
  for (const state of graph.states.values()) {
    const names = [...assignedBy(state), ...(state === owner ? [] : assignedByCatch(state))];
    for (const name of names) visible.set(name, outer.get(name) ?? state.name);
  }
  return visible;
}

function assignedBy(state: State): string[] {
  const own = 'assign' in state ? namesOf(state.assign) : [];
  if (state.type !== 'Choice') return own;
  return [...own, ...state.choices.flatMap(rule => namesOf(rule.assign))];
}

const assignedByCatch = (state: State): string[] =>
  'catch' in state ? state.catch.flatMap(catcher => namesOf(catcher.assign)) : [];

const namesOf = (assign: Assign | undefined): string[] => (assign ?? []).map(([name]) => name);
