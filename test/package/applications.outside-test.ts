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
    const options = {
      module: 'nodenext',
      target: undefined,
      lib: undefined,
      skipLibCheck: true,
      noEmit: true,
    };
    await compile(folder, ['example.mts'], options);
  });
});
