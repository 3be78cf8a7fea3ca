import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMAND_NAMES } from '../../bin/commands.ts';
import { TASKS } from '../../statemachine/contract/machines.ts';
import { replayDefinition, tickDefinition } from '../../statemachine/definition.ts';
import type { FunctionArns } from '../../statemachine/states.ts';

const glossary = readFileSync('docs/contributing/glossary.md', 'utf8');
const story = readFileSync('docs/how-an-item-dies.md', 'utf8');
/** Without the picture, which is a simplified one. */
const statesTable = story.slice(
  story.indexOf('| state | what it does |'),
  story.indexOf('(contributing/state-machine.md)'),
);

/** Where each term is met: the last column. */
const places = [...glossary.matchAll(/^\| [^|]+ \| [^|]+ \| ([^|]+) \|$/gm)].map(([, where = '']) => where);
const names = places.flatMap(where => [...where.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));

/** The names of all states, those inside a Map too. */
function statesOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([field, inner]) => [
    ...(field === 'States' ? Object.keys(inner as object) : []),
    ...statesOf(inner),
  ]);
}

const functions: FunctionArns = TASKS;
const tick = tickDefinition(functions, { tables: [] });
const replay = replayDefinition(functions, { tables: [] });
const states = [...new Set([tick, replay].flatMap(statesOf))];

test.each(states)('the glossary and the story of an item have the state %s', state => {
  expect(names).toContain(state);
  expect(statesTable).toContain(`\`${state}\``);
});

test('the picture in the story has no state that is not there', () => {
  const pictures = [...story.matchAll(/```mermaid\n(.*?)```/gs)].map(([, picture = '']) => picture);
  expect(pictures).toHaveLength(1);
  const drawn = [...pictures.join('\n').matchAll(/\b[A-Z]+(?:[[{(]+)([A-Z]\w+\??)/g)].map(
    ([, name = '']) => name,
  );
  expect(drawn).toContain('QueryExpired');
  expect(drawn.filter(name => name !== 'EventBridge' && !states.includes(name))).toEqual([]);
});

test('the glossary names nothing that is not in the sources', () => {
  const sources = ['stacks/config', 'expiry', 'functions', 'stacks', 'statemachine'].flatMap(folder =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(path => path.endsWith('.ts'))
      .map(path => readFileSync(join(folder, path), 'utf8')),
  );
  const text = [...sources, ...COMMAND_NAMES.map(name => `npx precise-ttl ${name}`)].join('\n');
  const isThere = (name: string) => new RegExp(`(?<!\\w)${name.replace('?', '\\?')}(?!\\w)`).test(text);
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter(name => !isThere(name))).toEqual([]);
});
