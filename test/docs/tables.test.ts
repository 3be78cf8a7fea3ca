import { readFileSync } from 'node:fs';
import { DOC_TABLES, withTables } from '../../tools/docs/doc-tables.ts';
import { behavioursPage, commandsPage, diagramPage } from '../../tools/docs/pages.ts';

const FILES = Object.keys(DOC_TABLES) as (keyof typeof DOC_TABLES)[];

test.each(FILES)('the tables in %s are those of the code: else run npm run docs', file => {
  const document = readFileSync(file, 'utf8');
  expect(withTables(file, document)).toBe(document);
});

test('docs/reference/commands.md has the flags of the commands: else run npm run docs', async () => {
  expect(readFileSync('docs/reference/commands.md', 'utf8')).toBe(await commandsPage());
});

test('the picture of the state machines is that of the definitions: else run npm run docs', () => {
  expect(readFileSync('docs/contributing/state-machine.md', 'utf8')).toBe(diagramPage());
});

test('the list of behaviours is what the tests are called', () => {
  expect(readFileSync('docs/contributing/behaviours.md', 'utf8')).toBe(behavioursPage());
});

test('a document that has lost its markers is not left as it is', () => {
  expect(() => withTables('docs/reference/configuration.md', '# Configuration')).toThrow(
    /expected <!-- props -->/,
  );
});

test('every field of the configuration has a text and a default', () => {
  const rows = DOC_TABLES['docs/reference/configuration.md'].props().split('\n').slice(2);
  expect(rows.length).toBeGreaterThan(20);
  for (const row of rows) expect(row).toMatch(/^\| `[\w.]+` \| [^|]{10,} \| [^|]+ \|$/);
});
