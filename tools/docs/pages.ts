import { globSync, readFileSync } from 'node:fs';
import { basename, sep } from 'node:path';
import { COMMAND_GROUPS, COMMANDS } from '../../bin/commands.ts';
import type { AnyCommand, Flag } from '../../cli/command.ts';
import { type FunctionArns, TASKS } from '../../statemachine/contract/machines.ts';
import { replayDefinition, tickDefinition } from '../../statemachine/definition.ts';

const HEAD = `# Commands

\`npx precise-ttl COMMAND\`. \`--help\` says more about each. \`npm run docs\` makes this page.

The configuration is the file that \`--config\` names, or \`precise-ttl.config.ts\`, \`.js\`, \`.mjs\`, \`.cjs\` or \`.json\` in the working directory.
TypeScript needs Node 22.18. \`cdktf.out\` and a local state lie beside the configuration; for a file of another name, such as \`prod.json\`, they lie in the folder \`precise-ttl.prod\`.

The exit status is 0 for success, 1 for a failure, 2 for a wrong command line or configuration, 3 when a service did not answer, and 130 or
143 after Ctrl-C or SIGTERM, and what this page says beside.

Text is wrapped at the width of the terminal, or at \`COLUMNS\`. \`NO_COLOR\` and \`FORCE_COLOR\` set the colours.`;

/** A flag of at least this many commands is listed only once. */
const MIN_SHARED = 4;

export async function commandsPage(): Promise<string> {
  const loaded = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, { group, summary, load }]) => ({
      name,
      group,
      summary,
      command: await load(),
    })),
  );
  const lines = loaded.map(({ command }) => Object.entries(command.flags).map(lineOf));
  const shared = [...new Set(lines.flat())].filter(
    line => lines.filter(each => each.includes(line)).length >= MIN_SHARED,
  );
  const sections = COMMAND_GROUPS.flatMap(group => [
    `# To ${group}`,
    ...loaded
      .filter(each => each.group === group)
      .map(({ name, summary, command }) => {
        const own = Object.entries(command.flags).map(lineOf);
        const flags = code(own.filter(line => !shared.includes(line)));
        return [`## ${name}`, `${capital(summary)}.`, flags, statusOf(command)].filter(Boolean).join('\n\n');
      }),
  ]);
  return `${[HEAD, 'Flags of many commands:', code(shared), ...sections].join('\n\n')}\n`;
}

function lineOf([name, { help, value, default: is }]: readonly [string, Flag]): string {
  const byDefault = is === undefined || help.includes('default') ? '' : ` (default ${is})`;
  return `--${name}${value === undefined ? '' : ` ${value}`}: ${help}${byDefault}`;
}

/** The help's text on exit statuses; empty for commands with only the statuses that HEAD explains. */
function statusOf(command: AnyCommand): string {
  const [, text = ''] = /Exit status: (.*?)(?:; 2 a wrong command line.*)?$/s.exec(command.help()) ?? [];
  return /\b3\b|--watch|--diff/.test(text) ? `Exit status: ${text.replaceAll(/\s+/g, ' ')}.` : '';
}

const code = (lines: readonly string[]) =>
  lines.length === 0 ? '' : `\`\`\`text\n${lines.join('\n')}\n\`\`\``;

const capital = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** The page of docs/ with the diagrams of the state machines. */
export function diagramPage(): string {
  const functions: FunctionArns = TASKS;
  const tick = tickDefinition(functions, { tables: [] });
  const replay = replayDefinition(functions, { tables: [] });
  return `# The state machines

\`npm run docs\` draws this page from the definitions, and a test fails when it is out of date. The comments in
[definition.ts](../../statemachine/definition.ts) and [child.ts](../../statemachine/child.ts) tell what the states do.
[contract/](../../statemachine/contract) has the types of what they hand on, and the [glossary](glossary.md) explains the terms. In the pictures, a label is a value of the field \`next\` or a condition; a dotted line is taken after an error.

## The tick

An Express execution, each minute, for all tables of a deployment.

\`\`\`mermaid
${mermaid(tick)}
\`\`\`

## A replay

A Standard execution for a span of time of one table: started by hand. Each child of its
SweepShards is an Express execution with the states of an iteration above.

\`\`\`mermaid
${mermaid(replay)}
\`\`\`
`;
}

export function behavioursPage(): string {
  const files = globSync('test/statemachine/*.test.ts').map(file => file.replaceAll(sep, '/'));
  const sections = files
    .sort()
    .map(file => [`## [${basename(file)}](../../${file})`, namesIn(file).join('\n')].join('\n\n'));
  return `${[BEHAVIOURS, ...sections].join('\n\n')}\n`;
}

const BEHAVIOURS = `# Behaviours

What the state machine does, as the names of its tests say it. They run the real definition on a virtual clock. \`npm run docs\` writes this page; … stands
for each case of a table.`;

/** `test('name'`, `describe('name'`, `test.each(…)('name'`, and the end of a table of several lines: `])('name'`. */
const NAME =
  /^( *)(?:(?:test|describe)\b[^\n]*?|\](?: as const)?\))\(\n? *(?:'((?:[^'\\\n]|\\.)*)'|"([^"\n]*)")/gm;

function namesIn(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(NAME)].map(([, indent, name = '', quoted = '']) => {
    const text = (name || quoted).replaceAll(/\\(.)/g, '$1').replaceAll(/%[a-z]|\$\w+/g, '…');
    return `${indent}- ${text}`;
  });
}

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
 * Draws a state machine as a Mermaid flowchart. An inline Map is a subgraph. A distributed Map is a single state, because its items are
 * child executions.
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
