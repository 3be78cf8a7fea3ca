export interface Transition {
  readonly to: string;
  readonly kind: 'next' | 'choice' | 'default' | 'catch';
  /** Text in the drawing: the condition of a Choice rule, `otherwise` for Default, the error names of a Catch; empty for Next. */
  readonly label: string;
}

export interface GraphState {
  readonly name: string;
  readonly type: string;
  readonly transitions: readonly Transition[];
  /** The inner graphs: the branches of a Parallel, or the item processor of a Map. Other states have no inner graphs. */
  readonly branches: readonly Graph[];
  readonly ends: boolean;
}

/** The states of a whole state machine, of a Map, or of a branch of a Parallel. */
export interface Graph {
  readonly startAt: string;
  readonly states: readonly GraphState[];
}

interface AslState {
  readonly Type?: string;
  readonly Next?: string;
  readonly Default?: string;
  readonly End?: boolean;
  readonly Choices?: readonly { readonly Next?: string; readonly Condition?: unknown }[];
  readonly Catch?: readonly { readonly Next?: string; readonly ErrorEquals?: readonly string[] }[];
  readonly Branches?: readonly AslGraph[];
  readonly ItemProcessor?: AslGraph;
  readonly Iterator?: AslGraph;
}

interface AslGraph {
  readonly StartAt?: string;
  readonly States?: Readonly<Record<string, AslState>>;
}

const NO_GRAPH: Graph = { startAt: '', states: [] };

/** Reads a definition from JSON text. An unreadable text gives a graph without states. */
export function readDefinition(text: string): Graph {
  try {
    return graphOf(JSON.parse(text) as AslGraph);
  } catch {
    return NO_GRAPH;
  }
}

function graphOf({ StartAt = '', States = {} }: AslGraph): Graph {
  return { startAt: StartAt, states: Object.entries(States).map(([name, state]) => stateOf(name, state)) };
}

function stateOf(name: string, state: AslState): GraphState {
  const { Type = '', Branches = [], End = false } = state;
  const processor = state.ItemProcessor ?? state.Iterator;
  return {
    name,
    type: Type,
    transitions: transitionsOf(state),
    branches: [...Branches, ...(processor === undefined ? [] : [processor])].map(graphOf),
    ends: End || Type === 'Succeed' || Type === 'Fail',
  };
}

function transitionsOf({ Next, Choices = [], Default, Catch = [] }: AslState): Transition[] {
  const all: (Omit<Transition, 'to'> & { readonly to: string | undefined })[] = [
    { to: Next, kind: 'next', label: '' },
    ...Choices.map(choice => ({
      to: choice.Next,
      kind: 'choice' as const,
      label: conditionText(choice.Condition),
    })),
    { to: Default, kind: 'default', label: 'otherwise' },
    ...Catch.map(catcher => ({
      to: catcher.Next,
      kind: 'catch' as const,
      label: (catcher.ErrorEquals ?? []).join(', '),
    })),
  ];
  return all.filter((each): each is Transition => typeof each.to === 'string');
}

const conditionText = (condition: unknown): string =>
  typeof condition === 'string' ? condition.replace(/^\{%\s*|\s*%\}$/g, '') : String(condition ?? '');

export interface Place {
  readonly parent: string | undefined;
  readonly branch: number;
}

/** State name → the Map or Parallel around the state, and the index of the branch. State names are unique in the whole definition. */
export function placesOf(graph: Graph, parent?: string, branch = 0): Map<string, Place> {
  return new Map(
    graph.states.flatMap(state => [
      [state.name, { parent, branch }] as const,
      ...state.branches.flatMap((inner, index) => [...placesOf(inner, state.name, index)]),
    ]),
  );
}

/** The graph to which a state belongs directly: for a state inside a Map, the graph of the Map's item processor. */
export function graphWith(graph: Graph, name: string): Graph | undefined {
  if (graph.states.some(state => state.name === name)) return graph;
  for (const inner of graph.states.flatMap(({ branches }) => branches)) {
    const found = graphWith(inner, name);
    if (found !== undefined) return found;
  }
  return undefined;
}
