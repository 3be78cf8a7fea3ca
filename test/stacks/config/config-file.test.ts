import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { folderWith } from '../../support/folder.ts';

const CONFIG = 'precise-ttl.config.ts';
const JSON_CONFIG = 'precise-ttl.config.json';

type Files = Readonly<Record<string, string>>;

/** Makes a folder with these files. */
const project = (files: Files): string => folderWith({ 'package.json': '{"type": "module"}', ...files });

/** What a file is, and what is told of it, in one line, with its place. */
const BROKEN: readonly (readonly [what: string, files: Files, told: string])[] = [
  [
    'missing',
    {},
    `${CONFIG}: expected the configuration in this folder, got no such file. Run the command where`,
  ],
  [
    'without a comma',
    { [CONFIG]: "export default {\n  region: 'a'\n  tables: [] };" },
    `${CONFIG}:3: Expected ','`,
  ],
  ['throwing', { [CONFIG]: '\nexport default [].a.b;' }, `${CONFIG}:2: Cannot read properties of undefined`],
  ['throwing what is no error', { [CONFIG]: "throw 'no stage';" }, `${CONFIG}: no stage`],
  [
    'importing what is not there',
    { [CONFIG]: "import { tables } from './tables.ts'; export default { tables };" },
    `${CONFIG}: Cannot find module 'tables.ts' imported from ${CONFIG}`,
  ],
  [
    'importing a file that is broken itself',
    { [CONFIG]: "import './tables.ts'; export default {};", 'tables.ts': '\nconst = 1;' },
    'tables.ts:2: Unexpected token `=`.',
  ],
  [
    'without a default export',
    { [CONFIG]: 'export const config = {}; export const tables = [];' },
    `${CONFIG}: expected a default export, got only config, tables. Write export default { … }.`,
  ],
  ['empty', { [CONFIG]: '' }, `${CONFIG}: expected a default export, got none. Write export`],
  [
    'broken JSON',
    { [JSON_CONFIG]: '{\n  "region": "us-east-1",\n}' },
    `${JSON_CONFIG}: expected JSON, got an error in it: Expected double-quoted property name in JSON at position 27`,
  ],
  [
    'there twice',
    { [CONFIG]: 'export default {};', [JSON_CONFIG]: '{}' },
    `${CONFIG}: expected one configuration in this folder, got ${JSON_CONFIG} too. Say which one with --config`,
  ],
];

// As npm init makes a folder.
const COMMONJS = { 'package.json': '{"type": "commonjs"}' };
const MODULE = "import { region } from './region.mjs';\nexport default { region };";
const BESIDE = { 'region.mjs': "export const region = 'eu-west-1';" };

const READ: readonly (readonly [what: string, files: Files, named?: string])[] = [
  ['TypeScript', { [CONFIG]: MODULE, ...BESIDE }],
  ['TypeScript in a CommonJS package', { [CONFIG]: MODULE, ...BESIDE, ...COMMONJS }],
  ['a module', { 'precise-ttl.config.mjs': MODULE, ...BESIDE, ...COMMONJS }],
  ['CommonJS', { 'precise-ttl.config.js': "module.exports = { region: 'eu-west-1' };", ...COMMONJS }],
  ['the file that is named', { [CONFIG]: '', 'prod.json': '{"region": "eu-west-1"}' }, 'prod.json'],
];

/** What each of them holds, or is told of it, from one process: jest reads TypeScript in its own way. */
let loaded: Readonly<Record<string, unknown>>;

beforeAll(() => {
  const all = [...BROKEN.map(([what, files]) => [what, files, undefined] as const), ...READ].map(
    ([what, files, named]) => [what, project(files), named] as const,
  );
  const program = `
    import { loadConfigFile } from ${JSON.stringify(pathToFileURL('stacks/config/config-file.ts').href)};
    const loaded = {};
    for (const [what, folder, named] of ${JSON.stringify(all)}) {
      process.chdir(folder);
      loaded[what] = await loadConfigFile(named ?? undefined).catch(({ name, message }) => [name, message]);
    }
    console.log(JSON.stringify(loaded));`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  });
  loaded = JSON.parse(printed);
});

test.each(BROKEN)(
  'a configuration file that is %s is told in one line, with its place',
  (what, _files, told) => {
    expect(loaded[what]).toEqual(['ConfigFileError', expect.stringContaining(told)]);
    expect(String(loaded[what])).not.toContain('\n');
  },
);

test.each(READ.map(([what]) => what))('reads %s', what => {
  expect(loaded[what]).toEqual({ region: 'eu-west-1' });
});

test('the CDKTF app tells a wrong value by its field', () => {
  const cwd = project({ [CONFIG]: 'export default { region: 5 };' });
  const app = join(process.cwd(), 'stacks/main.ts');
  const { status, stderr } = spawnSync(process.execPath, [app], { cwd, encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^precise-ttl\.config\.ts: The configuration is wrong:\n {2}region: expected/);
});
