import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { zipSync } from 'fflate';
import { licencesOf } from '../../tools/package/licences.ts';
import {
  contentProblems,
  type PackedFile,
  UNPACKED,
  withPackedLinks,
} from '../../tools/package/release-content.ts';

const file = (path: string, text = ''): PackedFile => ({ path, content: Buffer.from(text) });
const inArchive = (name: string, text: string): PackedFile => ({
  path: 'dist/functions/a.zip',
  content: zipSync({ [name]: Buffer.from(text) }),
});

const MACHINE = ['/srv/checkout'];

// Joined here, so that nobody who looks for secrets finds them in this file.
const KEY = ['AKIA', 'ABCDEFGHIJKLMNOP'].join('');

test.each([
  ['a path of the machine', 'const a = "/srv/checkout/expiry/index.ts"', 'expected no path of this machine'],
  [
    'a path out of the checkout',
    'a;\n// ../../other/node_modules/a/index.js\nb;',
    'a path out of the checkout, got "// ../../other/',
  ],
  ['a home folder', 'at /home/alice/work/index.ts', 'a home folder, got "/home/alice/"'],
  ['a home folder on a Mac', '"/Users/alice/a"', 'a home folder'],
  ['an access key', `const key = '${KEY}';`, 'an AWS access key'],
  ['a private key', ['-----BEGIN RSA', 'PRIVATE KEY-----'].join(' '), 'a private key'],
  ['a token of npm', `_authToken=${['npm', 'a'.repeat(36)].join('_')}`, 'a token of npm'],
])('%s is found, in a file and in an archive', (_what, text, problem) => {
  expect(contentProblems([file('dist/index.js', text)], MACHINE)).toEqual([expect.stringContaining(problem)]);
  expect(contentProblems([inArchive('index.mjs', text)], MACHINE)).toEqual([
    expect.stringMatching(/^dist\/functions\/a\.zip\/index\.mjs: /),
  ]);
});

test.each(['AKIAIOSFODNN7EXAMPLE, the key of the documents', 'see /home/you/app for an example'])(
  '%j is no problem',
  text => {
    expect(contentProblems([file('dist/node/testing.js', text)], MACHINE)).toEqual([]);
  },
);

test.each([
  ['MIT', true],
  ['(MIT OR GPL-3.0-only)', true],
  ['(MIT AND GPL-3.0-only)', false],
  ['AGPL-3.0-only', false],
  [undefined, false],
])('code under %s may be bundled: %p', (license, may) => {
  const folder = join(mkdtempSync(join(tmpdir(), 'precise-ttl-licence-')), 'node_modules', 'a');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'a', version: '1.0.0', license }));
  const licences = () => licencesOf([join(folder, 'index.js')]);
  if (may) expect(licences()).toContain(`a 1.0.0: ${license}\n`);
  else expect(licences).toThrow(`got ${license ?? 'none'}. Use another package.`);
});

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
    '[a](examples/cdktf-app).',
    '[a](https://github.com/precise-ttl/precise-ttl/blob/main/docs/examples/cdktf-app).',
  ],
  [
    'a document that is not packed',
    '[a](contributing/decisions.md)',
    '[a](https://github.com/precise-ttl/precise-ttl/blob/main/docs/contributing/decisions.md)',
  ],
])('a link to %s', (_what, text, expected) => {
  expect(withPackedLinks('docs/use.md', text)).toBe(expected);
});

const isPacked = (path: string) => !UNPACKED.some(folder => path.startsWith(folder));

test('the documents of the package link to nothing that is not in it', () => {
  const links = globSync('docs/**/*.md')
    .filter(isPacked)
    .flatMap(file =>
      [...withPackedLinks(file, readFileSync(file, 'utf8')).matchAll(/\]\(([^)\s#:]+)[)#]/g)].map(
        ([, link = '']) => posix.join(posix.dirname(file), link),
      ),
    );
  expect(links.length).toBeGreaterThan(20);
  expect(links.filter(link => !link.startsWith('docs/') || !isPacked(link) || !existsSync(link))).toEqual([]);
});

test('package.json packs these documents', () => {
  const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: string[] };
  expect(files).toEqual(expect.arrayContaining(['docs', '!docs/contributing', '!docs/examples']));
});
