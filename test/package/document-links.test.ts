import { existsSync, globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { UNPACKED, withPackedLinks } from '../../tools/package/document-links.ts';

test.each([
  ['another document', '[a](operate.md)', '[a](operate.md)'],
  ['a heading of another', '[a](reference/iam.md#roles)', '[a](reference/iam.md#roles)'],
  ['a heading of its own', '[a](#pausing)', '[a](#pausing)'],
  ['the web', '[a](https://example.com/a.md)', '[a](https://example.com/a.md)'],
  [
    'the README',
    '[a](../README.md#replay)',
    '[a](https://github.com/precise-ttl/precise-ttl/blob/main/README.md#replay)',
  ],
  [
    'a folder',
    '[a](../examples/cdktf-app).',
    '[a](https://github.com/precise-ttl/precise-ttl/blob/main/examples/cdktf-app).',
  ],
  [
    'a document that is not packed',
    '[a](contributing/decisions.md)',
    '[a](https://github.com/precise-ttl/precise-ttl/blob/main/docs/contributing/decisions.md)',
  ],
])('a link to %s', (_what, text, expected) => {
  expect(withPackedLinks('docs/use.md', text)).toBe(expected);
});

test('the documents of the package link to nothing that is not in it', () => {
  const links = globSync('docs/**/*.md')
    .filter(file => !file.startsWith(UNPACKED))
    .flatMap(file =>
      [...withPackedLinks(file, readFileSync(file, 'utf8')).matchAll(/\]\(([^)\s#:]+)[)#]/g)].map(
        ([, link = '']) => posix.join(posix.dirname(file), link),
      ),
    );
  expect(links.length).toBeGreaterThan(20);
  expect(
    links.filter(link => !link.startsWith('docs/') || link.startsWith(UNPACKED) || !existsSync(link)),
  ).toEqual([]);
});

test('package.json packs these documents', () => {
  const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: string[] };
  expect(files).toEqual(expect.arrayContaining(['docs', `!${posix.normalize(UNPACKED).replace(/\/$/, '')}`]));
});
