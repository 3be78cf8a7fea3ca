import { execFile } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type PackedPackage, packPackage, runNode } from '../support/packed-package.ts';

// Each example as its README says: its packages, the packed package among them, then its own tests.

const FOLDER = 'docs/examples';
const EXAMPLES = readdirSync(FOLDER, { withFileTypes: true })
  .filter(entry => entry.isDirectory() && existsSync(join(FOLDER, entry.name, 'package.json')))
  .map(({ name }) => name);
/** Node's types are those of this checkout. */
const COMPILER_OPTIONS = [
  ...['--noEmit', '--strict', '--skipLibCheck', '--allowImportingTsExtensions', '--ignoreConfig'],
  ...['--module', 'nodenext', '--target', 'es2024'],
  ...['--types', 'node', '--typeRoots', resolve('node_modules/@types')],
];
const CACHE = resolve('node_modules/.cache/precise-ttl/npm');

let packed: PackedPackage;

beforeAll(async () => {
  packed = await packPackage();
});

test('there are examples', () => {
  expect(EXAMPLES).toEqual(['cdktf-app', 'sessions-api']);
});

test.each(EXAMPLES)('%s', async name => {
  const folder = join(packed.folder, name);
  const filter = (source: string) => !/[/\\]node_modules$/.test(source);
  cpSync(join(FOLDER, name), folder, { recursive: true, filter });
  const file = join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const kind = 'precise-ttl' in (manifest.dependencies ?? {}) ? 'dependencies' : 'devDependencies';
  // What the example asks for is this version, or one after it.
  expect(manifest[kind]['precise-ttl']).toBe(`^${version}`);
  manifest[kind]['precise-ttl'] = `file:${packed.file}`;
  writeFileSync(file, JSON.stringify(manifest));
  await npm(folder, ['install', '--no-audit', '--no-fund', '--prefer-offline', '--cache', CACHE]);
  const sources = readdirSync(folder).filter(source => source.endsWith('.ts'));
  await runNode(folder, [resolve('node_modules/typescript/bin/tsc'), ...COMPILER_OPTIONS, ...sources]);
  // It has to have run something.
  expect(await npm(folder, ['test'])).toMatch(/Tests +.*[1-9]\d* passed/);
});

/** Runs npm with the Node of this checkout. What it prints is in the error when it fails. */
async function npm(cwd: string, args: readonly string[]): Promise<string> {
  const { NODE_ENV: _test, ...environment } = process.env;
  const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  try {
    const { stdout } = await promisify(execFile)('npm', [...args], {
      cwd,
      env: { ...environment, PATH, NO_COLOR: '1', npm_config_update_notifier: 'false' },
      maxBuffer: 1e8,
    });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`npm ${args.join(' ')}\n${stdout}${stderr}`);
  }
}
