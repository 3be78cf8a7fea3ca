import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve as resolvePath } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-config-file-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const CONFIG = 'precise-ttl.config.ts';

/** What loads the file and nothing else: the programs below take several times as long to be there. */
const LOADER = join(folder, 'load.mjs');
writeFileSync(
  LOADER,
  `import { loadConfigFile } from ${JSON.stringify(pathToFileURL(join(root, 'config/config-file.ts')).href)};
   await loadConfigFile().catch(error => {
     console.error(error.name === 'ConfigFileError' ? error.message : error);
     process.exitCode = 1;
   });`,
);

/** Runs a program in a folder with these files. */
function run(program: string, files: Readonly<Record<string, string>>, args: readonly string[] = []) {
  const cwd = mkdtempSync(join(folder, 'project-'));
  writeFileSync(join(cwd, 'package.json'), '{"type": "module"}');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  return new Promise<{ status: number; stderr: string }>(done => {
    execFile(
      process.execPath,
      [resolvePath(root, program), ...args],
      { cwd, timeout: 20_000 },
      (error, _stdout, stderr) => {
        done({ status: error === null ? 0 : Number(error.code), stderr });
      },
    );
  });
}

const lines = (...text: string[]) => text.join('\n');

test.each<[string, Readonly<Record<string, string>>, string]>([
  [
    'is missing',
    {},
    `${CONFIG}: expected the configuration in this folder, got no such file. Run the command where it lies, name it with --config, or write one with npx precise-ttl init.`,
  ],
  [
    'lacks a comma',
    { [CONFIG]: lines('export default {', "  region: 'us-east-1'", '  tables: [],', '};') },
    `${CONFIG}:3: Expected ',', got 'ident'`,
  ],
  [
    'throws',
    { [CONFIG]: lines('const env: any = {};', '', 'export default { region: env.STAGE.region };') },
    `${CONFIG}:3: Cannot read properties of undefined (reading 'region')`,
  ],
  ['throws what is no error', { [CONFIG]: "throw 'no stage';" }, `${CONFIG}: no stage`],
  [
    'imports what is not there',
    { [CONFIG]: "import { tables } from './tables.ts'; export default { tables };" },
    `${CONFIG}: Cannot find module 'tables.ts' imported from ${CONFIG}`,
  ],
  [
    'imports a file that is broken itself',
    { [CONFIG]: "import './tables.ts'; export default {};", 'tables.ts': lines('', 'const = 1;') },
    'tables.ts:2: Unexpected token `=`.',
  ],
  [
    'imports broken JSON',
    {
      [CONFIG]: lines(
        "import tables from './tables.json' with { type: 'json' };",
        'export default { tables };',
      ),
      'tables.json': lines('[', '  {"tableName": "a",}', ']'),
    },
    `${CONFIG}: tables.json: Expected double-quoted property name in JSON at position 22 (line 2 column 21)`,
  ],
  [
    'has no default export',
    { [CONFIG]: 'export const config = {}; export const tables = [];' },
    `${CONFIG}: expected a default export, got only config, tables. Write export default { … }.`,
  ],
  [
    'is broken JSON',
    { 'precise-ttl.config.json': lines('{', '  "region": "us-east-1",', '}') },
    'precise-ttl.config.json: Expected double-quoted property name in JSON at position 27 (line 3 column 1)',
  ],
  [
    'is there twice',
    { [CONFIG]: 'export default {};', 'precise-ttl.config.json': '{}' },
    `${CONFIG}: expected one configuration in this folder, got precise-ttl.config.json too. Say which one with --config`,
  ],
  ['is empty', { [CONFIG]: '' }, `${CONFIG}: expected a default export, got none. Write export`],
])('a configuration file that %s is told in one line, with its place', async (_name, files, message) => {
  const { status, stderr } = await run(LOADER, files);
  expect(status).toBe(1);
  expect(stderr).toContain(message);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

test('the CDKTF app tells a wrong value by its field', async () => {
  const { status, stderr } = await run('stacks/main.ts', { [CONFIG]: 'export default { region: 5 };' });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^precise-ttl\.config\.ts: The configuration is wrong:\n {2}region: expected/);
});

/** Prints what a file holds, as JSON. */
const PRINTER = join(folder, 'print.mjs');
writeFileSync(
  PRINTER,
  `import { loadConfigFile } from ${JSON.stringify(pathToFileURL(join(root, 'config/config-file.ts')).href)};
   console.error(JSON.stringify(await loadConfigFile(process.argv[2])));`,
);

const COMMONJS = { 'package.json': '{"type": "commonjs"}' };
const MODULE = "import { region } from './region.mjs';\nexport default { region };";
const SCRIPT = "module.exports = { region: 'eu-west-1' };";
const BESIDE = { 'region.mjs': "export const region = 'eu-west-1';" };

test.each<[string, Readonly<Record<string, string>>, string[]]>([
  ['TypeScript', { 'precise-ttl.config.ts': MODULE, ...BESIDE }, []],
  // As npm init makes a folder.
  ['TypeScript in a CommonJS package', { 'precise-ttl.config.ts': MODULE, ...BESIDE, ...COMMONJS }, []],
  ['a module', { 'precise-ttl.config.mjs': MODULE, ...BESIDE, ...COMMONJS }, []],
  ['CommonJS', { 'precise-ttl.config.js': SCRIPT, ...COMMONJS }, []],
  ['JSON', { 'precise-ttl.config.json': '{"region": "eu-west-1"}' }, []],
  [
    'the file that is named',
    { 'precise-ttl.config.json': '{}', 'prod.json': '{"region": "eu-west-1"}' },
    ['prod.json'],
  ],
])('reads %s', async (_what, files, args) => {
  expect(await run(PRINTER, files, args)).toEqual({ status: 0, stderr: '{"region":"eu-west-1"}\n' });
});

test('says which file that is named is not there', async () => {
  const { status, stderr } = await run('bin/precise-ttl.js', {}, ['synth', '--config', 'prod.json']);
  expect(status).toBe(2);
  expect(stderr.trim()).toMatch(/^prod\.json: expected the configuration, got no such file\./);
});
