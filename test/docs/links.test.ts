import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { ALARM_NAMES, kebab, runbookOf } from '../../stacks/config/alarms.ts';

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
