import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-config-file-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const CONFIG = 'precise-ttl.config.ts';

type Files = Readonly<Record<string, string>>;

/** Prints what the file holds, as JSON, and nothing else: the commands take several times as long to be there. */
const LOADER = join(folder, 'load.mjs');
writeFileSync(
  LOADER,
  `import { loadConfigFile } from ${JSON.stringify(pathToFileURL('stacks/config/config-file.ts').href)};
   try { console.error(JSON.stringify(await loadConfigFile(process.argv[2]))); } catch (error) {
     console.error(error.name === 'ConfigFileError' ? error.message : error);
     process.exitCode = 1;
   }`,
);

/** Runs a program in a folder with these files. */
function run(program: string, files: Files, args: readonly string[] = []) {
  const cwd = mkdtempSync(join(folder, 'project-'));
  for (const [name, text] of Object.entries({ 'package.json': '{"type": "module"}', ...files }))
    writeFileSync(join(cwd, name), text);
  return new Promise<{ status: number; stderr: string }>(done => {
    execFile(process.execPath, [program, ...args], { cwd, timeout: 20_000 }, (error, _stdout, stderr) =>
      done({ status: error === null ? 0 : Number(error.code), stderr }),
    );
  });
}

test.each<[string, Files, string]>([
  [
    'is missing',
    {},
    `${CONFIG}: expected the configuration in this folder, got no such file. Run the command where it lies, name it with --config, or write one with npx precise-ttl init.`,
  ],
  [
    'lacks a comma',
    { [CONFIG]: "export default {\n  region: 'us-east-1'\n  tables: [],\n};" },
    `${CONFIG}:3: Expected ',', got 'ident'`,
  ],
  [
    'throws',
    { [CONFIG]: 'const env: any = {};\n\nexport default { region: env.STAGE.region };' },
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
    { [CONFIG]: "import './tables.ts'; export default {};", 'tables.ts': '\nconst = 1;' },
    'tables.ts:2: Unexpected token `=`.',
  ],
  [
    'has no default export',
    { [CONFIG]: 'export const config = {}; export const tables = [];' },
    `${CONFIG}: expected a default export, got only config, tables. Write export default { … }.`,
  ],
  ['is empty', { [CONFIG]: '' }, `${CONFIG}: expected a default export, got none. Write export`],
  [
    'is broken JSON',
    { 'precise-ttl.config.json': '{\n  "region": "us-east-1",\n}' },
    'precise-ttl.config.json: expected JSON, got an error in it: Expected double-quoted property name in JSON at position 27 (line 3 column 1). Correct it there.',
  ],
  [
    'is there twice',
    { [CONFIG]: 'export default {};', 'precise-ttl.config.json': '{}' },
    `${CONFIG}: expected one configuration in this folder, got precise-ttl.config.json too. Say which one with --config`,
  ],
])('a configuration file that %s is told in one line, with its place', async (_name, files, message) => {
  const { status, stderr } = await run(LOADER, files);
  expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

test('the CDKTF app tells a wrong value by its field', async () => {
  const app = join(process.cwd(), 'stacks/main.ts');
  const { status, stderr } = await run(app, { [CONFIG]: 'export default { region: 5 };' });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^precise-ttl\.config\.ts: The configuration is wrong:\n {2}region: expected/);
});

// As npm init makes a folder.
const COMMONJS = { 'package.json': '{"type": "commonjs"}' };
const MODULE = "import { region } from './region.mjs';\nexport default { region };";
const BESIDE = { 'region.mjs': "export const region = 'eu-west-1';" };

test.each<[string, Files, string[]]>([
  ['TypeScript', { [CONFIG]: MODULE, ...BESIDE }, []],
  ['TypeScript in a CommonJS package', { [CONFIG]: MODULE, ...BESIDE, ...COMMONJS }, []],
  ['a module', { 'precise-ttl.config.mjs': MODULE, ...BESIDE, ...COMMONJS }, []],
  ['CommonJS', { 'precise-ttl.config.js': "module.exports = { region: 'eu-west-1' };", ...COMMONJS }, []],
  ['the file that is named', { [CONFIG]: '', 'prod.json': '{"region": "eu-west-1"}' }, ['prod.json']],
])('reads %s', async (_what, files, args) => {
  expect(await run(LOADER, files, args)).toEqual({ status: 0, stderr: '{"region":"eu-west-1"}\n' });
});
