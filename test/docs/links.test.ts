import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const FILES = [
  'README.md',
  'CONTRIBUTING.md',
  'test/deploy/stub-provider/README.md',
  ...globSync('{docs,docs/*,local,aws-on-loopback,lab,examples/*}/*.md').filter(
    file => !file.includes('node_modules'),
  ),
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

test('CONTRIBUTING.md names files that are there', () => {
  const text = readFileSync('CONTRIBUTING.md', 'utf8');
  const paths = [...text.matchAll(/`([\w-]+(?:\/[\w.-]+)*\/[\w.-]+\.(?:ts|cjs|md))`/g)].map(
    ([, path = '']) => path,
  );
  expect(paths.length).toBeGreaterThan(30);
  expect(paths.filter(path => !existsSync(path))).toEqual([]);
});
