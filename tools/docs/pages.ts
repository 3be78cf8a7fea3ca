import { globSync, readFileSync } from 'node:fs';
import { basename, sep } from 'node:path';
import { COMMAND_GROUPS, COMMANDS } from '../../bin/commands.ts';
import type { AnyCommand, Flag } from '../../cli/command.ts';
import {
  type Graph,
  readDefinition,
  type Transition,
} from '../../packages/stepfunctions-emulator/page/model/definition.ts';
import { type FunctionArns, TASKS } from '../../statemachine/contract/machines.ts';
import { replayDefinition, tickDefinition } from '../../statemachine/definition.ts';

/** A flag of at least this many commands is listed only once. */
const MIN_SHARED = 4;

export async function commandsReference(): Promise<string> {
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
  return [code(shared), ...sections].join('\n\n');
}

function lineOf([name, { help, value, default: is }]: readonly [string, Flag]): string {
  const byDefault = is === undefined || help.includes('default') ? '' : ` (default ${is})`;
  return `--${name}${value === undefined ? '' : ` ${value}`}: ${help}${byDefault}`;
}

/** Returns the help's text on exit statuses, or '' if the text at the top of commands.md is enough for this command. */
function statusOf(command: AnyCommand): string {
  const [, text = ''] = /Exit status: (.*?)(?:; 2 a wrong command line.*)?$/s.exec(command.help()) ?? [];
  return /\b3\b|--watch|--diff/.test(text) ? `Exit status: ${text.replaceAll(/\s+/g, ' ')}.` : '';
}

const code = (lines: readonly string[]) =>
  lines.length === 0 ? '' : `\`\`\`text\n${lines.join('\n')}\n\`\`\``;

const capital = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

const functions: FunctionArns = TASKS;

export const tickDiagram = () => mermaid(tickDefinition(functions, { tables: [] }));

export const replayDiagram = () => mermaid(replayDefinition(functions, { tables: [] }));

export function behavioursList(): string {
  const files = globSync('test/statemachine/*.test.ts').map(file => file.replaceAll(sep, '/'));
  const sections = files
    .sort()
    .map(file => [`## [${basename(file)}](../../${file})`, namesIn(file).join('\n')].join('\n\n'));
  return sections.join('\n\n');
}

/** Matches the name of a test or a `describe`: after `test(`, `describe(` or `test.each(…)(`, or after `])(` at the start of a line. */
const NAME =
  /^( *)(?:(?:test|describe)\b[^\n]*?|\](?: as const)?\))\(\n? *(?:'((?:[^'\\\n]|\\.)*)'|"([^"\n]*)")/gm;

function namesIn(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(NAME)].map(([, indent, name = '', quoted = '']) => {
    const text = (name || quoted).replaceAll(/\\(.)/g, '$1').replaceAll(/%[a-z]|\$\w+/g, '…');
    return `${indent}- ${text}`;
  });
}

/**
 * Draws a state machine as a Mermaid flowchart. An inline Map is a subgraph. A distributed Map is a single state, because its items are
 * child executions.
 */
function mermaid(definition: object): string {
  const text = JSON.stringify(definition, (_field, value) =>
    value?.ProcessorConfig?.Mode === 'DISTRIBUTED' ? undefined : value,
  );
  return ['```mermaid', 'flowchart TD', ...lines(readDefinition(text), '  '), '```'].join('\n');
}

function lines({ startAt, states }: Graph, indent: string): string[] {
  return [
    `${indent}start_${id(startAt)}(( )) --> ${id(startAt)}`,
    ...states.flatMap(({ name, type, branches: [inside] }) => {
      if (inside === undefined) {
        const [open, close] = SHAPES[type] ?? ['[', ']'];
        return [`${indent}${id(name)}${open}"${name}"${close}`];
      }
      return [`${indent}subgraph ${id(name)} [${name}]`, ...lines(inside, `${indent}  `), `${indent}end`];
    }),
    ...states.flatMap(({ name, transitions }) => {
      const arrows = transitions.map(each => `${indent}${id(name)} ${arrowOf(each)} ${id(each.to)}`);
      return [...new Set(arrows)];
    }),
  ];
}

const SHAPES: Readonly<Record<string, readonly [string, string]>> = {
  Choice: ['{{', '}}'],
  Wait: ['[/', '/]'],
  Map: ['[[', ']]'],
  Succeed: ['([', '])'],
  Fail: ['([', '])'],
};

/** Returns a transition's arrow in Mermaid. A condition's label is shortened: `$states.input.next = 'wait'` becomes `wait`. */
function arrowOf({ kind, label }: Transition): string {
  if (kind === 'next') return '-->';
  if (kind === 'catch') return '-.->|"fails"|';
  if (kind === 'default') return '-->|"else"|';
  const [, routed] = /^\$states\.input\.next = '(\w+)'$/.exec(label) ?? [];
  return `-->|"${routed ?? label.replaceAll(/\$states\.(context|input)\./g, '').replaceAll('State.', '')}"|`;
}

const id = (name: string): string => name.replaceAll(/\W/g, '');
