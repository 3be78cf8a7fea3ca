import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import type { CommandName } from '../../bin/commands.ts';
import { configOf } from '../support/configs.ts';
import { executed } from '../support/executed.ts';

const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-interrupted-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const CONFIG = join(folder, 'config.json');
const tables = ['Sessions', 'Tokens'].map(tableName => ({ tableName, partitionKey: 'id' }));
writeFileSync(CONFIG, JSON.stringify(configOf(...tables)));

/** Answers by operation; undefined: never, and there comes the signal. */
// biome-ignore lint/suspicious/noExplicitAny: each operation has an input of its own
type Answers = Readonly<Record<string, (input: any) => object | undefined>>;

/** Runs a command beside such a service, until it is sent the signal. */
async function interrupted(
  [name, ...args]: readonly [CommandName, ...string[]],
  answers: Answers,
  signal: 'SIGINT' | 'SIGTERM' = 'SIGINT',
) {
  let isSent = false;
  const send = () => {
    if (!isSent) process.emit(signal, signal);
    isSent = true;
  };
  const server = createServer(async (request, response) => {
    const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
    const answer = answers[operation]?.(await json(request).catch(() => ({})));
    if (answer === undefined) setTimeout(send, 200);
    else
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    return await executed(name, args, { AWS_ENDPOINT_URL: endpoint, AWS_REGION: 'us-east-1' });
  } finally {
    isSent = true;
    server.closeAllConnections();
    server.close();
  }
}

const later = Math.floor(Date.now() / 1_000) + 86_400;
const KEYS = { KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }] };
const TABLE = { ...KEYS, TableName: 'Sessions', TableStatus: 'ACTIVE', ItemCount: 3, TableSizeBytes: 300 };
const items = ['a', 'b', 'c'].map(id => ({ id: { S: id }, ttl: { N: `${later}` } }));
const Scan = ({ Segment }: { readonly Segment: number }) => ({ Items: Segment === 0 ? items : [] });
const again = (...args: readonly string[]) =>
  `Interrupted. The same command goes on:\n  npx precise-ttl ${args.join(' ')}`;

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('backfill tells what it has written until %s', async (signal, status) => {
  const args = ['backfill', '--table', 'Sessions', '--config', CONFIG] as const;
  let writes = 0;
  const UpdateItem = () => {
    writes += 1;
    return writes === 1 ? {} : undefined;
  };
  const ended = await interrupted(
    args,
    { DescribeTable: () => ({ Table: TABLE }), Scan, UpdateItem },
    signal,
  );
  expect(ended).toMatchObject({ status, stderr: again(...args) });
  expect(ended.stdout).toMatch(/\n {2}scanned +1\n {2}stamped +1 {2}its window was written$/);
});

test('adopt tells that DynamoDB builds the index on', async () => {
  const args = ['adopt', '--table', 'Sessions', '--ttl-attribute', 'ttl'] as const;
  let GlobalSecondaryIndexes: object[] = [];
  let looks = 0;
  const ended = await interrupted(args, {
    DescribeTable() {
      looks += 1;
      return looks > 3 ? undefined : { Table: { ...TABLE, GlobalSecondaryIndexes } };
    },
    DescribeTimeToLive: () => ({ TimeToLiveDescription: { TimeToLiveStatus: 'DISABLED' } }),
    Scan,
    UpdateTable() {
      GlobalSecondaryIndexes = [{ IndexName: 'expirySecondIndex', IndexStatus: 'CREATING' }];
      return {};
    },
  });
  expect(ended).toMatchObject({ status: 130, stderr: again(...args) });
  expect(ended.stdout).toMatch(/\nUntil here: the index being built, native TTL as it was\.$/);
});

/** The end of the name of a table's execution. */
const hashOf = (table: string) => createHash('sha256').update(table).digest('hex').slice(0, 8);
const MACHINE = 'arn:aws:states:us-east-1:123456789012:stateMachine:precise-ttl-replay';
const SPAN = ['--from', '2026-11-20T08:00:00Z', '--to', '2026-11-20T09:00:00Z'];

/** The execution of the first table ends, that of the second one does not. */
const REPLAYING: Answers = {
  ListStateMachines: () => ({
    stateMachines: [{ name: 'precise-ttl-replay', stateMachineArn: MACHINE, creationDate: 0 }],
  }),
  StartExecution: ({ name }) => ({ executionArn: `${MACHINE}:${name}`, startDate: 0 }),
  DescribeExecution({ executionArn }) {
    const output = JSON.stringify({ tables: { Sessions: { found: 3, deleted: 3 } } });
    const isEnded = executionArn.endsWith(hashOf('Sessions'));
    return isEnded ? { status: 'SUCCEEDED', startDate: 0, output } : undefined;
  },
};

test('replay tells what was swept while it waited', async () => {
  const args = ['replay', ...SPAN, '--config', CONFIG] as const;
  const ended = await interrupted(args, REPLAYING);
  expect(ended).toMatchObject({ status: 130, stderr: again(...args) });
  expect(ended.stdout).toMatch(/\n\[1\/2\] Sessions {2}found 3, deleted 3\n/);
  expect(ended.stdout).toMatch(/Some of it is left: run this again when what stands above is mended\.$/);
  const data = await interrupted([...args, '--json'], REPLAYING);
  expect(JSON.parse(data.stdout)).toMatchObject({ executions: [{ table: 'Sessions' }] });
});

test('doctor has no verdict on an index that was not read to its end', async () => {
  const index = {
    IndexName: 'expirationWindowIndex',
    IndexStatus: 'ACTIVE',
    ItemCount: 3,
    IndexSizeBytes: 300,
  };
  const answers: Answers = {
    DescribeTable: () => ({ Table: { ...TABLE, GlobalSecondaryIndexes: [index] } }),
    Scan: ({ IndexName }) => (IndexName === undefined ? { Items: [] } : undefined),
  };
  const nothing = new Proxy(answers, { get: (of, name: string) => of[name] ?? (() => ({})) });
  const ended = await interrupted(['doctor', '--all', '--table', 'Sessions', '--config', CONFIG], nothing);
  expect(ended).toMatchObject({ status: 130, stderr: 'Interrupted.' });
  expect(ended.stdout).not.toMatch(/broken|not known|healthy/i);
});
