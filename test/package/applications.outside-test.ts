import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
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
  node16: { options: { module: 'node16' }, files: ['main.mts'], run: ['main.mjs'] },
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

test.concurrent.each(Object.entries(SETTINGS))(
  'compiles as %s, and runs',
  async (_name, { options, files, run }) => {
    const text = readFileSync(APPLICATION, 'utf8');
    const folder = makeApplication(packed, Object.fromEntries(files.map(file => [file, text])));
    await compile(folder, files, options);
    for (const file of run) {
      expect(JSON.parse(await runNode(folder, [join('out', file)]))).toEqual(expected);
    }
  },
);

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
    await compile(folder, ['example.mts'], options);
  });
});
