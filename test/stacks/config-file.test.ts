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
  `import { loadConfigFile } from ${JSON.stringify(pathToFileURL(join(root, 'stacks/config-file.ts')).href)};
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
    `${CONFIG}: expected the configuration in this folder, got no such file. Run the command where it lies, or write one: docs/configuration.md.`,
  ],
  [
    'lacks a comma',
    { [CONFIG]: lines('export default {', "  region: 'us-east-1'", '  tables: [],', '};') },
    `${CONFIG}:3: Expected ',', got 'ident'`,
  ],
  [
    'has what only a compiler can take off',
    { [CONFIG]: lines('', 'enum Stage { Prod }', 'export default {};') },
    `${CONFIG}:2: TypeScript enum is not supported in strip-only mode`,
  ],
  [
    'throws',
    { [CONFIG]: lines('const env: any = {};', '', 'export default { region: env.STAGE.region };') },
    `${CONFIG}:3: Cannot read properties of undefined (reading 'region')`,
  ],
  [
    'throws in a function of another file',
    {
      [CONFIG]: lines("import { region } from './region.ts';", '', 'export default { region: region() };'),
      'region.ts': 'export const region = () => { throw new Error("no stage\\nat all"); };',
    },
    `${CONFIG}:3: no stage at all`,
  ],
  ['throws what is no error', { [CONFIG]: "throw 'no stage';" }, `${CONFIG}: no stage`],
  [
    'imports what is not there',
    { [CONFIG]: "import { tables } from './tables.ts'; export default { tables };" },
    `${CONFIG}: Cannot find module 'tables.ts' imported from ${CONFIG}`,
  ],
  [
    'imports a name that is not there',
    {
      [CONFIG]: lines('', "import { tables } from './tables.ts';", 'export default { tables };'),
      'tables.ts': 'export const all = [];',
    },
    `${CONFIG}:2: The requested module './tables.ts' does not provide an export named 'tables'`,
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
    `${CONFIG}: expected a default export, got only config, tables. Write export default defineConfig({ … }).`,
  ],
  ['is empty', { [CONFIG]: '' }, `${CONFIG}: expected a default export, got none. Write export`],
])('a configuration file that %s is told in one line, with its place', async (_name, files, message) => {
  const { status, stderr } = await run(LOADER, files);
  expect(status).toBe(1);
  expect(stderr).toContain(message);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

test.each(['stacks/main.ts', 'stacks/check.ts'])('%s tells a wrong value by its field', async program => {
  const { status, stderr } = await run(program, { [CONFIG]: 'export default { region: 5 };' });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^precise-ttl\.config\.ts: The configuration is wrong:\n {2}region: expected/);
});

test.each([
  ['stacks/main.ts', []],
  ['stacks/check.ts', []],
  ['cli/start.ts', []],
  ['cli/local.ts', []],
  ['cli/replay.ts', ['--yes', '--from', '2026-11-20T08:00:00Z', '--to', '2026-11-20T09:00:00Z']],
])('%s says the same', async (program, args) => {
  const { status, stderr } = await run(program, { [CONFIG]: lines('', 'export default {,};') }, args);
  expect(status).toBe(1);
  expect(stderr.trim()).toMatch(/^precise-ttl\.config\.ts:2: [^\n]+$/);
});
