import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { COMMAND_NAMES } from '../../bin/commands.ts';
import { ALARM_NAMES, kebab, runbookOf } from '../../stacks/config/alarms.ts';
import { type FunctionArns, TASKS } from '../../statemachine/contract/machines.ts';
import { replayDefinition, tickDefinition } from '../../statemachine/definition.ts';
import { DOC_TABLES, withTables } from '../../tools/docs/doc-tables.ts';

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

const FILES = [
  'README.md',
  'CONTRIBUTING.md',
  'test/deploy/stub-provider/README.md',
  ...globSync('{docs,docs/*,docs/examples/*,local,bench}/*.md'),
];

/** As GitHub makes them of headings. */
function anchorsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8').replaceAll(/^```.*?^```/gms, '');
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  );
}

/** Links to nowhere, as they stand in the file. */
function deadLinks(file: string): string[] {
  const links = [...readFileSync(file, 'utf8').matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter(link => {
    if (/^[a-z]+:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? file : normalize(join(dirname(file), path));
    if (!existsSync(target)) return true;
    return anchor !== undefined && !anchorsOf(target).includes(anchor);
  });
}

test.each(FILES)('%s links to files and headings that are there', file => {
  expect(deadLinks(file)).toEqual([]);
});

test('the table of contents has every document', () => {
  const contents = readFileSync('docs/README.md', 'utf8');
  const documents = globSync('{,reference/,contributing/}*.md', { cwd: 'docs' }).filter(
    file => file !== 'README.md',
  );
  expect(documents.filter(file => !contents.includes(`](${file})`))).toEqual([]);
});

test('what contributors read names files that are there', () => {
  const text = ['CONTRIBUTING.md', 'docs/contributing/recipes.md', 'docs/contributing/decisions.md']
    .map(file => readFileSync(file, 'utf8'))
    .join('\n');
  const paths = [...text.matchAll(/`([\w-]+(?:\/[\w.-]+)*\/[\w.-]+\.(?:ts|cjs|md))`/g)].map(
    ([, path = '']) => path,
  );
  expect(paths.length).toBeGreaterThan(15);
  expect(paths.filter(path => !existsSync(path))).toEqual([]);
});

test('the runbook has a section for what was deleted by mistake and for each alarm, and no others', () => {
  const [, ...sections] = readFileSync('docs/reference/alarms.md', 'utf8').split(/^## /m);
  const [incident, ...alarms] = sections.map(text => text.slice(0, text.indexOf('\n')));
  expect(incident).toBe('Something was deleted by mistake');
  expect(alarms.sort()).toEqual(ALARM_NAMES.map(kebab).sort());
  for (const alarm of ALARM_NAMES)
    expect(runbookOf(alarm)).toMatch(`/docs/reference/alarms.md#${kebab(alarm)}`);
  // Deletes stop first.
  expect(sections[0]).toMatch(/^1\. `npx precise-ttl pause/m);
});

test('the README says in one sentence what it is, shows it, and has the commands on its first screen', () => {
  const screen = readFileSync('README.md', 'utf8').split('\n').slice(0, 25).join('\n');
  const [, sentence = '', picture = ''] =
    /^# precise-ttl\n\n(.*?)\n\n!\[.+?\]\((.+?)\)\n\n/s.exec(screen) ?? [];
  expect(sentence.match(/[.!?](\s|$)/g)).toHaveLength(1);
  expect(readFileSync(picture, 'utf8')).toMatch(/^<svg /);
  for (const command of ['npm start', 'npm test', 'npx precise-ttl deploy'])
    expect(screen).toMatch(new RegExp(`^npm ci && ${command}( +#.*)?$`, 'm'));
});

const GENERATED = Object.keys(DOC_TABLES) as (keyof typeof DOC_TABLES)[];

test.each(GENERATED)('what is made in %s is that of the code: else run npm run docs', async file => {
  const document = readFileSync(file, 'utf8');
  expect(await withTables(file, document)).toBe(document);
});

test('a document that has lost its markers is not left as it is', async () => {
  await expect(withTables('docs/reference/configuration.md', '# Configuration')).rejects.toThrow(
    /expected <!-- props -->/,
  );
});

test('every field of the configuration has a text and a default', () => {
  const rows = DOC_TABLES['docs/reference/configuration.md'].props().split('\n').slice(2);
  expect(rows.length).toBeGreaterThan(20);
  for (const row of rows) expect(row).toMatch(/^\| `[\w.]+` \| [^|]{10,} \| [^|]+ \|$/);
});
