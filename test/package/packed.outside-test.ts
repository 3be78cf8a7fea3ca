import { cpSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { type BuildOptions, build } from 'esbuild';
import { ALL_FUNCTIONS, fileOf } from '../../functions/function-list.ts';
import {
  compile,
  makeApplication,
  type PackedPackage,
  packPackage,
  runNode,
  runOldestNode,
  useInstalled,
} from '../support/packed-package.ts';

// The package on Node, in a browser and with compilers, and what tools say of it.

let packed: PackedPackage;

beforeAll(async () => {
  packed = await packPackage();
});

const ENTRY_POINT = [
  'PreciseTtlError',
  'expiryAttributes',
  'expiryModel',
  'isExpired',
  'isExpiry',
  'notExpired',
  'unlessExpired',
  'withExpiry',
  'withoutExpired',
];

test('what npm packs is the data model, the constructs, what they deploy, the command, and the texts', () => {
  expect(readdirSync(packed.content).sort()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'bin',
    'dist',
    'docs',
    'package.json',
  ]);
  expect(readdirSync(join(packed.content, 'dist')).sort()).toEqual([
    'cdktf',
    'cdktn',
    'esm',
    'functions',
    'node',
    'page',
    'types',
  ]);
  expect(readdirSync(join(packed.content, 'dist/functions')).sort()).toEqual(
    ['LICENSES.txt', ...ALL_FUNCTIONS.map(task => `${fileOf(task)}.zip`)].sort(),
  );
});

test('what npm packs has at most 2 MB in 200 files', () => {
  expect(statSync(packed.file).size).toBeLessThan(2_000_000);
  const files = readdirSync(packed.content, { recursive: true, withFileTypes: true });
  expect(files.filter(file => file.isFile()).length).toBeLessThanOrEqual(200);
});

test("what npm packs has the package's own README, and the checkout its own again", () => {
  const text = (...path: string[]) => readFileSync(join(...path, 'README.md'), 'utf8');
  expect(text(packed.content)).toBe(text('tools/package'));
  expect(text(packed.checkout)).toBe(text('.'));
});

test('what npm packs needs no other package, unless the application has constructs', () => {
  const manifest = JSON.parse(readFileSync(join(packed.content, 'package.json'), 'utf8'));
  expect(manifest).not.toHaveProperty('dependencies');
  const optional = Object.fromEntries(
    Object.keys(manifest.peerDependencies).map(name => [name, { optional: true }]),
  );
  expect(manifest.peerDependenciesMeta).toEqual(optional);
  expect(manifest).toMatchObject({ engines: { node: '>=22.12' }, repository: { type: 'git' } });
});

describe.each([
  ['precise-ttl', undefined],
  ['stepfunctions-emulator', 'packages/stepfunctions-emulator'],
])('%s', (_name, workspace) => {
  let each: PackedPackage;
  beforeAll(async () => {
    each = await packPackage(workspace);
  });

  test('puts back what it swaps in the checkout, also after packing was interrupted', async () => {
    const folder = join(each.checkout, workspace ?? '.');
    const swap = (direction: string) =>
      runNode(folder, [join(each.checkout, 'tools/package/swap.ts'), direction]);
    const texts = () => ['README.md', 'package.json'].map(file => readFileSync(join(folder, file), 'utf8'));
    const before = texts();
    await swap('in');
    await swap('in');
    expect(texts()).not.toEqual(before);
    await swap('out');
    await swap('out');
    expect(texts()).toEqual(before);
    expect(readdirSync(folder).filter(file => file.startsWith('.repository'))).toEqual([]);
  });

  test.each(['README.md', 'CHANGELOG.md'])('links to nothing that is not there, in %s', name => {
    const file = join(each.content, name);
    const links = [...readFileSync(file, 'utf8').matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, to = '']) => to);
    expect(links.filter(to => !/^https:/.test(to) && !existsSync(join(dirname(file), to)))).toEqual([]);
  });

  test('is clean to arethetypeswrong and to publint', async () => {
    expect(await runNode('.', ['tools/package/check.ts', each.file])).toMatch(/^No problems/);
  });
});

test.each([
  ['require', 'main.cjs', "console.log(JSON.stringify(Object.keys(require('NAME')).sort()))"],
  ['import', 'main.mjs', "import * as all from 'NAME'; console.log(JSON.stringify(Object.keys(all).sort()))"],
])(
  'an application on the oldest Node gets the names of each entry point by %s',
  async (_how, file, program) => {
    const names = async (name: string): Promise<string[]> => {
      const folder = makeApplication(packed, { [file]: program.replace('NAME', name) });
      useInstalled(folder, ['cdktf', 'constructs', '@cdktf', '@aws-sdk']);
      return JSON.parse(await runOldestNode(folder, [file]));
    };
    expect(await names('precise-ttl')).toEqual(ENTRY_POINT);
    const behind = await names('precise-ttl/data-model');
    expect(behind).toEqual(expect.arrayContaining(['InvalidTtlError', 'shardOf', 'windowKey']));
    expect(behind.filter(name => ENTRY_POINT.includes(name))).toEqual([]);
    expect(await names('precise-ttl/cdktf')).toContain('PreciseTtlStack');
    expect(await names('precise-ttl/testing')).toContain('withPreciseTtl');
  },
);

const bundle = async (program: string, options: BuildOptions = {}) => {
  const folder = makeApplication(packed, { 'main.js': program });
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'main.js')],
    bundle: true,
    platform: 'browser',
    format: 'iife',
    write: false,
    ...options,
  });
  return outputFiles?.[0]?.text ?? '';
};

/** What the program hands to `report` where there is only the language, and these. */
const outcome = (code: string, globals: object = {}) => {
  let reported: unknown;
  const report = (value: string) => {
    reported = JSON.parse(value);
  };
  runInContext(code, createContext({ report, ...globals }));
  return reported;
};

test('a bundle for browsers of the readers needs nothing but the language', async () => {
  const code = await bundle(`
    import { expiryModel, isExpired, notExpired, unlessExpired, withoutExpired } from 'precise-ttl';
    const model = expiryModel({ partitionKey: 'id' });
    const nowMs = 1658266020500;
    report(JSON.stringify([
      unlessExpired(model, { id: 'a', ttl: 1658266021 }, { nowMs }),
      unlessExpired(model, { id: 'a', ttl: 1658266020 }, { nowMs }) ?? null,
      isExpired(1658266020, 1658266020),
      typeof notExpired(model, {}, { nowMs }).FilterExpression,
      typeof withoutExpired({ send() {}, middlewareStack: { add() {}, clone() { return this; } } }, { Sessions: model }).send,
    ]));`);
  expect(outcome(code)).toEqual([{ id: 'a', ttl: 1658266021 }, null, true, 'string', 'function']);
});

test('a bundle for browsers of the writers needs btoa besides, for keys of bytes', async () => {
  const code = await bundle(`
    import { expiryAttributes, expiryModel } from 'precise-ttl';
    const model = expiryModel({ partitionKey: 'id', sortKey: 'bytes', shards: 7 });
    const key = { id: 1, bytes: new Uint8Array([0, 255]) };
    report(JSON.stringify(expiryAttributes(model, key, { expiresAt: 1658266020, nowMs: 1658266020500 })));`);
  expect(outcome(code, { btoa })).toEqual({
    ttl: 1658266020,
    expirationWindow: '2022-07-19T00:00:00.000Z_2022-07-20T00:00:00.000Z#6',
  });
});

test('a bundle for browsers holds only what is used', async () => {
  const readers = await bundle("import { isExpired } from 'precise-ttl'; report(isExpired(1, 1658266020));");
  expect(readers).not.toContain('expirationWindow');
});

const APPLICATION = 'test/package/application.ts';

/** What the application prints when Node takes its types off and nobody compiles it. */
let expected: unknown;

beforeAll(async () => {
  const folder = makeApplication(packed, { 'package.json': { type: 'module' } });
  cpSync(APPLICATION, join(folder, 'main.ts'));
  expected = JSON.parse(await runNode(folder, ['main.ts']));
});

test('the application sees what expires, and what is refused', () => {
  expect(expected).toMatchObject({
    stamped: { ttl: 1658266080, expirationWindow: expect.stringMatching(/#4$/) },
    renewed: { UpdateExpression: expect.stringMatching(/^SET #preciseTtl = /) },
    filtered: { FilterExpression: expect.stringContaining('attribute_not_exists') },
    live: { UserName: 'alice' },
    expired: null,
    isExpired: true,
    reader: { middleware: ['preciseTtlWithoutExpired', 'preciseTtlAsksForTtl'], sent: 'sent' },
    refused: expect.stringMatching(/^ttl: .*looks like milliseconds/),
  });
});

// How tools resolve the entry points, arethetypeswrong has looked at.
test('compiles as CommonJS and as ES modules, and runs', async () => {
  const text = readFileSync(APPLICATION, 'utf8');
  const folder = makeApplication(packed, { 'main.cts': text, 'main.mts': text });
  await compile(folder, ['main.cts', 'main.mts'], { module: 'nodenext', exactOptionalPropertyTypes: true });
  for (const file of ['main.cjs', 'main.mjs'])
    expect(JSON.parse(await runNode(folder, [join('out', file)]))).toEqual(expected);
});

const exampleOf = (file: string) =>
  /```ts\n(import .*? from 'precise-ttl';.*?)```/s.exec(readFileSync(file, 'utf8'))?.[1];

test('the example is the same in docs/use.md and in the README of the package', () => {
  expect(exampleOf('docs/use.md')).toMatch(/unlessExpired/);
  expect(exampleOf('tools/package/README.md')).toBe(exampleOf('docs/use.md'));
});

test("the example compiles with the SDK's types", async () => {
  const folder = makeApplication(packed, {
    'example.mts': `
      import { type DynamoDBDocumentClient, GetCommand, type GetCommandInput, PutCommand, QueryCommand,
        type QueryCommandInput, UpdateCommand } from '@aws-sdk/lib-dynamodb';
      declare const documents: DynamoDBDocumentClient;
      declare const query: QueryCommandInput;
      declare const get: GetCommandInput;
      ${exampleOf('docs/use.md')}
      export default live;`,
  });
  useInstalled(folder, ['@aws-sdk']);
  const options = {
    module: 'nodenext',
    target: undefined,
    lib: undefined,
    skipLibCheck: true,
    noEmit: true,
  };
  await compile(folder, ['example.mts'], options);
});
