import { globSync, readFileSync } from 'node:fs';
import { UNPACKED_DOCUMENTS, withPackedLinks } from '../../tools/package/document-links.ts';

test.each([
  ['another document', '[a](deploy.md)', '[a](deploy.md)'],
  ['a heading of another', '[a](deploy.md#pausing)', '[a](deploy.md#pausing)'],
  ['a heading of its own', '[a](#pausing)', '[a](#pausing)'],
  ['the web', '[a](https://example.com/a.md)', '[a](https://example.com/a.md)'],
  [
    'the README',
    '[a](../README.md#replay)',
    '[a](https://github.com/precise-ttl/precise-ttl/blob/main/README.md#replay)',
  ],
  [
    'a folder',
    '[a](../examples/electrodb).',
    '[a](https://github.com/precise-ttl/precise-ttl/blob/main/examples/electrodb).',
  ],
  [
    'a document that is not packed',
    '[a](decisions.md)',
    '[a](https://github.com/precise-ttl/precise-ttl/blob/main/docs/decisions.md)',
  ],
])('a link to %s', (_what, text, expected) => {
  expect(withPackedLinks('docs/cost.md', text)).toBe(expected);
});

test('the documents of the package link to nothing that is not in it', () => {
  const packed = globSync('docs/*.md').filter(file => !UNPACKED_DOCUMENTS.includes(file));
  const names = packed.map(file => file.replace('docs/', ''));
  const leading = packed.flatMap(file =>
    [...withPackedLinks(file, readFileSync(file, 'utf8')).matchAll(/\]\(([^)\s#:]+)[)#]/g)].map(
      ([, link = '']) => link,
    ),
  );
  expect(leading.length).toBeGreaterThan(20);
  expect(leading.filter(link => !names.includes(link))).toEqual([]);
});

test('package.json packs these documents', () => {
  const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: string[] };
  expect(files).toEqual(expect.arrayContaining(['docs', ...UNPACKED_DOCUMENTS.map(file => `!${file}`)]));
});
