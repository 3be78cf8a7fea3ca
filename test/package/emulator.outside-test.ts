import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import {
  exportedBy,
  startEmulator,
} from '../../packages/stepfunctions-emulator/test/support/emulator-process.ts';
import {
  compile,
  makeApplication,
  manifestOf,
  type PackedPackage,
  packPackage,
  runNode,
  useInstalled,
} from '../support/packed-package.ts';

// stepfunctions-emulator as npm packs it: what it holds, and applications and tests that use each of its entry points.

const FOLDER = 'packages/stepfunctions-emulator';

let packed: PackedPackage;
/** `stepfunctions-emulator`, `stepfunctions-emulator/loopback`, … */
const entries = Object.entries(manifestOf(FOLDER).exports)
  .filter(([, target]) => String(target).endsWith('.ts'))
  .map(([name]) => `stepfunctions-emulator${name.slice(1)}`);

beforeAll(async () => {
  packed = await packPackage(FOLDER);
});

const filesOf = (folder: string): string[] =>
  readdirSync(join(packed.content, folder), { recursive: true, withFileTypes: true })
    .filter(file => file.isFile())
    .map(file => join(file.parentPath, file.name).slice(join(packed.content, folder).length + 1));

test('what npm packs is what was built, the command and the texts', () => {
  expect(readdirSync(packed.content).sort()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'bin',
    'dist',
    'package.json',
  ]);
  const sources = readdirSync(join(FOLDER, 'src'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => name.replace(/\.ts$/, ''));
  const built = (names: string[]) => names.flatMap(name => [`${name}.d.ts`, `${name}.js`]).sort();
  expect(filesOf('dist/esm').sort()).toEqual(built(sources));
  expect(filesOf('dist/page').sort()).toEqual(['LICENSES.txt', 'page.css', 'page.js']);
});

test('what npm packs has a manifest in which everything is there', () => {
  const text = readFileSync(join(packed.content, 'package.json'), 'utf8');
  const paths = [...text.matchAll(/"(\.\/[^"]*\.\w+)"/g)].map(([, path = '']) => path);
  expect(paths.length).toBeGreaterThan(entries.length * 2);
  expect(paths.filter(path => !existsSync(join(packed.content, path)))).toEqual([]);
  expect(text).not.toMatch(/\bsrc\b|"scripts"|"devDependencies"/);
  // Otherwise JSONata is not the one that AWS runs.
  expect(manifestOf(packed.content).dependencies).toEqual({ jsonata: '2.0.6' });
});

test.each(entries)('an application gets the same names of %s by import and by require', async entry => {
  const folder = makeApplication(packed, {
    'main.mjs': `import * as all from '${entry}'; console.log(JSON.stringify(Object.keys(all).sort()))`,
    'main.cjs': `console.log(JSON.stringify(Object.keys(require('${entry}')).sort()))`,
  });
  const imported: string[] = JSON.parse(await runNode(folder, ['main.mjs']));
  expect(imported.length).toBeGreaterThan(0);
  expect(JSON.parse(await runNode(folder, ['main.cjs']))).toEqual(imported);
});

const IMPORTS = entries.map((entry, index) => `import * as entry${index} from '${entry}';`).join('\n');
const APPLICATION = `
  ${IMPORTS}
  import { type Clock, type Execution, loadDefinition, VirtualClock } from 'stepfunctions-emulator';
  const clock: Clock = new VirtualClock();
  export const statusOf = ({ status }: Execution): string => status;
  export const all = [${entries.map((_entry, index) => `entry${index}`).join(', ')}, clock, loadDefinition];
  // @ts-expect-error: a clock starts at a number
  new VirtualClock('now');`;

test('an application is compiled as CommonJS and ES modules', async () => {
  const files = ['main.cts', 'main.mts'];
  const folder = makeApplication(packed, Object.fromEntries(files.map(file => [file, APPLICATION])));
  useInstalled(folder, ['@types', 'undici-types']);
  await compile(folder, files, {
    module: 'nodenext',
    noEmit: true,
    lib: undefined,
    types: ['node'],
    // The types of jsonata, which ours need, ask for it; it is on by default from TypeScript 6 on.
    esModuleInterop: true,
  });
});

test('a test of an application is the first example of the README, as it stands', async () => {
  const readme = readFileSync(join(packed.content, 'README.md'), 'utf8');
  const block = (name: string) =>
    readme
      .split(`<!-- run: ${name} -->\n`)[1]
      ?.split('```')[1]
      ?.replace(/^\w+\n/, '');
  const files = ['orders.test.ts', 'orders.asl.json'].map(name => [name, block(name) ?? '']);
  const folder = makeApplication(packed, {
    ...Object.fromEntries(files),
    'package.json': { type: 'module' },
  });
  expect(await runNode(folder, ['--test', 'orders.test.ts'])).toMatch(/pass 1\n/);
});

describe('the command', () => {
  let folder: string;
  const bin = () => join(folder, 'node_modules/.bin/stepfunctions-emulator');

  // As npm installs it, with the one package that it needs from this checkout.
  beforeAll(async () => {
    folder = mkdtempSync(join(packed.folder, 'installed-'));
    writeFileSync(join(folder, 'package.json'), '{}');
    const packages = [packed.file, resolve('node_modules/jsonata')];
    await promisify(execFile)('npm', ['install', '--offline', '--silent', ...packages], { cwd: folder });
    mkdirSync(join(folder, 'node_modules/@aws-sdk'));
    useInstalled(folder, ['@aws-sdk/client-sfn']);
  });

  test.each([
    ['mjs', 'export const greet = ({ name }) => ({ hello: name });'],
    ['ts', 'export const greet = ({ name }: { name: string }) => ({ hello: name });'],
  ])('serves an execution whose functions are in a .%s module', async (extension, mocks) => {
    const Resource = 'arn:aws:lambda:us-east-1:123456789012:function:greet';
    const definition = {
      QueryLanguage: 'JSONata',
      StartAt: 'A',
      States: { A: { Type: 'Task', Resource, End: true } },
    };
    writeFileSync(join(folder, 'hello.asl.json'), JSON.stringify(definition));
    writeFileSync(join(folder, `mocks.${extension}`), mocks);
    writeFileSync(
      join(folder, 'client.mjs'),
      `import { DescribeExecutionCommand, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
       const client = new SFNClient();
       const stateMachineArn = 'arn:aws:states:us-east-1:123456789012:stateMachine:hello';
       const { executionArn } = await client.send(new StartExecutionCommand({ stateMachineArn, input: '{"name":"you"}' }));
       let execution;
       do execution = await client.send(new DescribeExecutionCommand({ executionArn }));
       while (execution.status === 'RUNNING');
       console.log(execution.status, execution.output);`,
    );
    const args = ['--definition', 'hello.asl.json', '--functions', `mocks.${extension}`, '--port', '0'];
    const server = startEmulator(args, { cwd: folder, bin: bin() });
    try {
      await server.until(/Ctrl-C stops/);
      const env = { ...process.env, ...exportedBy(server) };
      const { stdout } = await promisify(execFile)(process.execPath, ['client.mjs'], { cwd: folder, env });
      expect(stdout).toBe('SUCCEEDED {"hello":"you"}\n');
      const { AWS_ENDPOINT_URL_SFN: page = '' } = exportedBy(server);
      const script = await fetch(`${page}/page/script.js`);
      expect(await script.text()).toBe(readFileSync(join(packed.content, 'dist/page/page.js'), 'utf8'));
      server.child.kill('SIGTERM');
      expect(await server.ended).toBe(0);
    } finally {
      server.child.kill('SIGKILL');
    }
  });
});
