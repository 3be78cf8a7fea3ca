import { cpSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  COMPILERS,
  compile,
  makeApplication,
  type PackedPackage,
  packPackage,
  runNode,
  useInstalled,
} from '../support/packed-package.ts';

const APPLICATION = 'test/package/application.ts';

let packed: PackedPackage;
/** What the application prints when Node takes its types off and nobody compiles it. */
let expected: unknown;

beforeAll(async () => {
  packed = await packPackage();
  const folder = makeApplication(packed, { 'package.json': { type: 'module' } });
  cpSync(APPLICATION, join(folder, 'main.ts'));
  expected = JSON.parse(await runNode(folder, ['main.ts']));
});

test('the application sees what expires, and what is refused', () => {
  expect(expected).toMatchObject({
    stamped: { ttl: 1658266080, expirationWindow: expect.stringMatching(/#5$/) },
    renewed: { UpdateExpression: expect.stringMatching(/^SET #preciseTtl = /) },
    filtered: { FilterExpression: expect.stringContaining('attribute_not_exists') },
    live: { UserName: 'alice' },
    expired: null,
    isExpired: true,
    reader: { middleware: ['preciseTtlWithoutExpired', 'preciseTtlAsksForTtl'], sent: 'sent' },
    refused: expect.stringMatching(/^ttl: .*looks like milliseconds/),
  });
});

const UNSET = { target: undefined, lib: undefined };

/** Each way to compile: the files of the application and what runs of them. */
const SETTINGS: Record<string, { options: object; files: string[]; run: string[] }> = {
  // With nothing else, the older compilers take ES5's library and Node 10's resolution, which knows no `exports`.
  commonjs: { options: { module: 'commonjs', ...UNSET }, files: ['main.ts'], run: ['main.js'] },
  node16: { options: { module: 'node16' }, files: ['main.cts', 'main.mts'], run: ['main.cjs', 'main.mjs'] },
  nodenext: {
    options: { module: 'nodenext', exactOptionalPropertyTypes: true },
    files: ['main.cts', 'main.mts'],
    run: ['main.cjs', 'main.mjs'],
  },
  bundler: {
    options: { module: 'esnext', moduleResolution: 'bundler' },
    files: ['main.mts'],
    run: ['main.mjs'],
  },
};

describe.each(COMPILERS)('%s', compiler => {
  test.concurrent.each(Object.entries(SETTINGS))(
    'compiles the application as %s, and it runs',
    async (_name, { options, files, run }) => {
      const text = readFileSync(APPLICATION, 'utf8');
      const sources = Object.fromEntries(files.map(file => [file, text]));
      const folder = makeApplication(packed, sources);
      await compile(folder, compiler, files, options);
      for (const file of run) {
        expect(JSON.parse(await runNode(folder, [join('out', file)]))).toEqual(expected);
      }
    },
  );
});

describe('the example', () => {
  const exampleOf = (file: string) =>
    /```ts\n(import .*? from 'precise-ttl';.*?)```/s.exec(readFileSync(file, 'utf8'))?.[1];

  test('is the same in docs/use.md and in the README of the package', () => {
    expect(exampleOf('docs/use.md')).toMatch(/unlessExpired/);
    expect(exampleOf('tools/package/README.md')).toBe(exampleOf('docs/use.md'));
  });

  test("compiles with the SDK's types", async () => {
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
    const options = { module: 'nodenext', ...UNSET, skipLibCheck: true, noEmit: true };
    await compile(folder, 'typescript', ['example.mts'], options);
  });
});

describe('a test of an application', () => {
  const TEST = `
    test('stamps an item', () => {
      const model = expiryModel({ partitionKey: 'id' });
      expect(expiryAttributes(model, { id: 'a' }, { ttlSeconds: 60 })).toHaveProperty('expirationWindow');
      expect(() => expiryAttributes(model, {}, { ttlSeconds: 60 })).toThrow('id: expected');
    });`;

  test.each([
    [
      'CommonJS',
      'app.test.js',
      `const { expiryAttributes, expiryModel } = require('precise-ttl');${TEST}`,
      {},
    ],
    [
      'TypeScript',
      'app.test.ts',
      `import { expiryAttributes, expiryModel } from 'precise-ttl';${TEST}`,
      { '\\.ts$': resolve('node_modules/@swc/jest') },
    ],
  ])('runs in jest, as %s', async (_name, file, text, transform) => {
    const folder = makeApplication(packed, {
      [file]: text,
      'package.json': {},
      'jest.config.json': { transform, testMatch: ['**/app.test.*'] },
    });
    await runNode(folder, [resolve('node_modules/jest/bin/jest.js'), '--config', 'jest.config.json']);
  });

  test('runs in vitest', async () => {
    const folder = makeApplication(packed, {
      'app.test.ts': `import { expect, test } from 'vitest';
        import { expiryAttributes, expiryModel } from 'precise-ttl';${TEST}`,
    });
    useInstalled(folder, ['vitest']);
    const printed = await runNode(folder, [
      resolve('node_modules/vitest/vitest.mjs'),
      'run',
      '--root',
      folder,
    ]);
    expect(printed).toMatch(/1 passed/);
  });
});
