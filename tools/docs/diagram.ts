/** Draws a definition as a Mermaid flowchart: every state, and where it leads. */

interface State {
  readonly Type: string;
  readonly Next?: string;
  readonly End?: boolean;
  readonly Default?: string;
  readonly Choices?: readonly { readonly Condition: string; readonly Next: string }[];
  readonly Catch?: readonly { readonly ErrorEquals: readonly string[]; readonly Next: string }[];
  readonly ItemProcessor?: Graph;
}

interface Graph {
  readonly StartAt: string;
  readonly States: Readonly<Record<string, unknown>>;
}

/**
 * Draws one machine, or the processing of a Map's items. A Map inside it is a subgraph; a distributed Map, whose items are child
 * executions, has a diagram of its own.
 */
export function mermaid(graph: Graph): string {
  return ['flowchart TD', ...lines(graph, '  ')].join('\n');
}

function lines({ StartAt, States }: Graph, indent: string): string[] {
  const states = Object.entries(States as Readonly<Record<string, State>>);
  return [
    `${indent}start_${id(StartAt)}(( )) --> ${id(StartAt)}`,
    ...states.flatMap(([name, state]) => node(name, state, indent)),
    ...states.flatMap(([name, state]) => edges(name, state).map(edge => indent + edge)),
  ];
}

function node(name: string, { Type, ItemProcessor }: State, indent: string): string[] {
  if (ItemProcessor && !isChild(ItemProcessor)) {
    return [
      `${indent}subgraph ${id(name)} [${name}]`,
      ...lines(ItemProcessor, `${indent}  `),
      `${indent}end`,
    ];
  }
  const [open, close] = SHAPES[Type] ?? ['[', ']'];
  return [`${indent}${id(name)}${open}"${name}"${close}`];
}

/** Shapes of states that are not plain rectangles. */
const SHAPES: Readonly<Record<string, readonly [string, string]>> = {
  Choice: ['{{', '}}'],
  Wait: ['[/', '/]'],
  Map: ['[[', ']]'],
  Succeed: ['([', '])'],
  Fail: ['([', '])'],
};

function edges(name: string, state: State): string[] {
  const to = (next: string, label?: string) => `${id(name)} -->${label ? `|"${label}"|` : ''} ${id(next)}`;
  const caught = new Set((state.Catch ?? []).map(({ Next }) => Next));
  return [
    ...(state.Choices ?? []).map(({ Condition, Next }) => to(Next, labelOf(Condition))),
    ...(state.Default ? [to(state.Default, 'else')] : []),
    ...(state.Next ? [to(state.Next)] : []),
    ...[...caught].map(next => `${id(name)} -.->|"fails"| ${id(next)}`),
  ];
}

/** Label of a condition: `$states.input.next = 'wait'` becomes `wait`. */
function labelOf(condition: string): string {
  const text = condition.replaceAll(/^\{% | %\}$/g, '');
  const [, routed] = /^\$states\.input\.next = '(\w+)'$/.exec(text) ?? [];
  return routed ?? text.replaceAll(/\$states\.(context|input)\./g, '').replaceAll('State.', '');
}

function isChild(graph: Graph): boolean {
  return 'ProcessorConfig' in graph && JSON.stringify(graph.ProcessorConfig).includes('DISTRIBUTED');
}

function id(name: string): string {
  return name.replaceAll(/\W/g, '');
}
