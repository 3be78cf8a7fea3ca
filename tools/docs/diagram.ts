/** Draws a definition as a Mermaid flowchart: every state with its transitions. */

interface State {
  readonly Type: string;
  readonly Next?: string;
  readonly Default?: string;
  readonly Choices?: readonly { readonly Condition: string; readonly Next: string }[];
  readonly Catch?: readonly { readonly Next: string }[];
  readonly ItemProcessor?: Graph;
}

interface Graph {
  readonly StartAt: string;
  readonly States: Readonly<Record<string, unknown>>;
}

/**
 * Draws a state machine, or the item processor of a Map. An inline Map inside is a subgraph. A distributed Map is a state, because its
 * items are child executions.
 */
export function mermaid(graph: Graph): string {
  return ['flowchart TD', ...lines(graph, '  ')].join('\n');
}

function lines({ StartAt, States }: Graph, indent: string): string[] {
  const states = Object.entries(States as Readonly<Record<string, State>>);
  return [
    `${indent}start_${id(StartAt)}(( )) --> ${id(StartAt)}`,
    ...states.flatMap(([name, { Type, ItemProcessor }]) => {
      if (ItemProcessor === undefined || JSON.stringify(ItemProcessor).includes('"DISTRIBUTED"')) {
        const [open, close] = SHAPES[Type] ?? ['[', ']'];
        return [`${indent}${id(name)}${open}"${name}"${close}`];
      }
      const inside = lines(ItemProcessor, `${indent}  `);
      return [`${indent}subgraph ${id(name)} [${name}]`, ...inside, `${indent}end`];
    }),
    ...states.flatMap(([name, state]) => edges(name, state).map(edge => indent + edge)),
  ];
}

const SHAPES: Readonly<Record<string, readonly [string, string]>> = {
  Choice: ['{{', '}}'],
  Wait: ['[/', '/]'],
  Map: ['[[', ']]'],
  Succeed: ['([', '])'],
  Fail: ['([', '])'],
};

function edges(name: string, { Choices = [], Default, Next, Catch = [] }: State): string[] {
  const to = (next: string, label = '') => `${id(name)} -->${label} ${id(next)}`;
  const caught = new Set(Catch.map(({ Next: next }) => next));
  return [
    ...Choices.map(({ Condition, Next: next }) => to(next, `|"${labelOf(Condition)}"|`)),
    ...(Default ? [to(Default, '|"else"|')] : []),
    ...(Next ? [to(Next)] : []),
    ...[...caught].map(next => `${id(name)} -.->|"fails"| ${id(next)}`),
  ];
}

/** Label of a condition: `$states.input.next = 'wait'` becomes `wait`. */
function labelOf(condition: string): string {
  const text = condition.replaceAll(/^\{% | %\}$/g, '');
  const [, routed] = /^\$states\.input\.next = '(\w+)'$/.exec(text) ?? [];
  return routed ?? text.replaceAll(/\$states\.(context|input)\./g, '').replaceAll('State.', '');
}

const id = (name: string): string => name.replaceAll(/\W/g, '');
