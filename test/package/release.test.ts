import { existsSync, globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { zipSync } from 'fflate';
import { UNPACKED, withPackedLinks } from '../../tools/package/document-links.ts';
import {
  bundledPackages,
  contentProblems,
  licenceProblems,
  missingLicences,
  type PackedFile,
} from '../../tools/package/release-content.ts';
import { packageSbom, type Sbom } from '../../tools/package/sbom.ts';

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
  ['a home folder', 'at /home/alice/work/index.ts', 'a home folder, got "/home/alice/"'],
  ['a home folder on a Mac', '"/Users/alice/a"', 'a home folder'],
  ['an access key', `const key = '${KEY}';`, 'an AWS access key'],
  ['a private key', ['-----BEGIN RSA', 'PRIVATE KEY-----'].join(' '), 'a private key'],
  ['a token of npm', `_authToken=${['npm', 'a'.repeat(36)].join('_')}`, 'a token of npm'],
  ['a test runner', "import { test } from 'node:test';", 'expected no test code'],
])('%s is found, in a file and in an archive', (_what, text, problem) => {
  expect(contentProblems([file('dist/index.js', text)], MACHINE)).toEqual([expect.stringContaining(problem)]);
  expect(contentProblems([inArchive('index.mjs', text)], MACHINE)).toEqual([
    expect.stringMatching(/^dist\/functions\/a\.zip\/index\.mjs: /),
  ]);
});

test.each(['test/a.js', 'dist/a.test.js', 'dist/fixtures/a.json'])('%s is a test', path => {
  expect(contentProblems([file(path)], MACHINE)).toEqual([`${path}: expected no tests in the package`]);
});

test.each([
  'AKIAIOSFODNN7EXAMPLE, the key of the documents',
  'see /home/you/app for an example',
  'precise-ttl/testing is no test',
])('%j is no problem', text => {
  expect(contentProblems([file('dist/node/testing.js', text)], MACHINE)).toEqual([]);
});

const LICENCES = file(
  'dist/node/LICENSES.txt',
  `What is bundled.\n\n${['', '@a/b 1.2.3: MIT\n\nText 1.0.0: of it\n', 'c 2.0.0-rc.1: (MIT OR GPL-3.0-only)\n', 'd 3.0.0: AGPL-3.0-only\n'].join(`\n${'-'.repeat(80)}\n\n`)}`,
);

test('the packages are those of the licences, and one that does not go with ours is told', () => {
  const packages = bundledPackages([LICENCES, LICENCES]);
  expect(packages.map(({ name, version }) => `${name}@${version}`)).toEqual([
    '@a/b@1.2.3',
    'c@2.0.0-rc.1',
    'd@3.0.0',
  ]);
  expect(licenceProblems(packages)).toEqual([expect.stringMatching(/^d 3\.0\.0: .* got AGPL-3\.0-only$/)]);
});

test('several packages can head one text, whose own lines are no heading', () => {
  const text =
    'What is bundled.\n\n' +
    `${'-'.repeat(80)}\n\n@b/c 2.0.0: ISC\na 1.0.0: ISC\n\nVersion 1.0.0: the terms\n`;
  expect(bundledPackages([inArchive('LICENSES.txt', text)])).toEqual([
    { name: '@b/c', version: '2.0.0', licence: 'ISC' },
    { name: 'a', version: '1.0.0', licence: 'ISC' },
  ]);
});

test('a licence that is two at once has to go with ours as a whole', () => {
  expect(licenceProblems([{ name: 'a', version: '1.0.0', licence: '(MIT AND GPL-3.0-only)' }])).toHaveLength(
    1,
  );
});

test('a bundle without licences is told', () => {
  expect(missingLicences([file('dist/node/testing.js'), LICENCES])).toEqual([]);
  expect(missingLicences([file('dist/node/testing.js')])).toEqual([expect.stringMatching(/^dist\/node: /)]);
  expect(missingLicences([inArchive('index.mjs', '')])).toHaveLength(1);
  expect(missingLicences([file('dist/page/page.js')])).toHaveLength(1);
});

describe('the bill of materials', () => {
  const component = (name: string) => ({
    'bom-ref': `${name}@1.0.0`,
    name,
    version: '1.0.0',
    scope: 'optional',
    properties: [{ name: 'cdx:npm:package:development', value: 'true' }],
  });
  const all: Sbom = {
    bomFormat: 'CycloneDX',
    metadata: { component: component('root') },
    components: [component('a'), component('b'), component('c')],
    dependencies: [
      { ref: 'root@1.0.0', dependsOn: ['a@1.0.0', 'c@1.0.0'] },
      { ref: 'a@1.0.0', dependsOn: ['b@1.0.0', 'c@1.0.0'] },
      { ref: 'c@1.0.0', dependsOn: [] },
    ],
  };
  const own = { name: 'precise-ttl', version: '1.0.0-rc.1' };
  const bundled = (name: string) => ({ name, version: '1.0.0', licence: 'MIT' });

  test('has what is bundled, and nothing of the checkout else', () => {
    const made = packageSbom(all, own, [bundled('a'), bundled('b')]);
    expect(made.metadata.component).toMatchObject({ ...own, purl: 'pkg:npm/precise-ttl@1.0.0-rc.1' });
    expect(made.components).toEqual([
      { 'bom-ref': 'a@1.0.0', name: 'a', version: '1.0.0' },
      { 'bom-ref': 'b@1.0.0', name: 'b', version: '1.0.0' },
    ]);
    expect(made.dependencies).toEqual([
      { ref: 'precise-ttl@1.0.0-rc.1', dependsOn: ['a@1.0.0', 'b@1.0.0'] },
      { ref: 'a@1.0.0', dependsOn: ['b@1.0.0'] },
    ]);
  });

  test('has what is installed with the package', () => {
    const made = packageSbom(all, { ...own, dependencies: { b: '^1.0.0' } }, []);
    expect(made.components.map(({ name }) => name)).toEqual(['b']);
  });

  test('refuses a bundled package that npm does not know', () => {
    expect(() => packageSbom(all, own, [bundled('z')])).toThrow('expected z@1.0.0, which is bundled');
  });
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
