import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { VirtualClock } from 'stepfunctions-emulator';
import type { Action } from '../../../bench/workload/plan.ts';
import { WatchedTable } from '../../../bench/workload/watched-table.ts';
import { expiryModel } from '../../../expiry/index.ts';
import { localDynamoDb } from '../../../local/dynamodb/clients.ts';

const NOW = Date.parse('2026-11-20T09:00:00Z');
const TTL = NOW / 1000 + 60;
const model = expiryModel({ partitionKey: 'User', sortKey: 'CreatedAt' });

type Input = Readonly<Record<string, unknown>>;

const client = localDynamoDb('http://127.0.0.1:1', 'us-east-1');
afterAll(() => client.destroy());

/** A table whose requests a test answers in place of DynamoDB. */
function tableThat(answer: (command: string) => unknown = () => ({}), type = 'S') {
  const sent: [command: string, at: number, input: Input][] = [];
  const clock = new VirtualClock(NOW);
  jest.spyOn(DynamoDBDocumentClient.prototype, 'send').mockImplementation(async (command: object) => {
    const { input } = command as { input: Input };
    sent.push([command.constructor.name, (clock.now() - NOW) / 1000, input]);
    return answer(command.constructor.name);
  });
  const table = { name: 'Sessions', region: 'us-east-1', attributes: { User: type, CreatedAt: type } };
  const watched = new WatchedTable({
    ...{ cloud: { client } as never, table: table as never, model, prefix: 'x', clock },
    onError: () => undefined,
  });
  const write = (...actions: readonly Action[]) => watched.write(actions, new AbortController().signal);
  return { sent, clock, watched, write };
}

const action = (item: number, seconds: number, ttl: number | undefined = TTL): Action => ({
  ...{ atMs: NOW + seconds * 1000, item, ttl },
  kind: 'write',
});
const renewal = (seconds: number) => ({ ...action(1, seconds, TTL + 60), kind: 'renew' }) as const;

test.each([
  ['a string', 'S', 'x-7'],
  ['a number', 'N', '7'],
  ['bytes', 'B', 'x-7'],
])('a sort key that is %s names the item, in the ledger as in the stream', async (_name, type, id) => {
  const { watched, write } = tableThat(undefined, type);
  await write(action(7, 0));
  expect(watched.ledger.current(id)).toMatchObject({ number: 1 });
  const value = { [type]: type === 'B' ? Buffer.from(id).toString('base64') : id };
  const image = { CreatedAt: value, BenchVersion: { N: '2' }, ExpirationTime: { N: '5' } } as never;
  expect(watched.read(image)).toMatchObject({ id, version: 2 });
});

test('every write comes at its time and gives its item another version; the ledger has what was acknowledged', async () => {
  const { sent, write, watched } = tableThat();
  await write(
    action(1, 1),
    renewal(2),
    { ...renewal(3), kind: 'makePermanent', ttl: undefined },
    action(2, 5),
  );
  expect(sent.map(([command, at]) => [command, at])).toEqual([
    ['PutCommand', 1],
    ['UpdateCommand', 2],
    ['UpdateCommand', 3],
    ['PutCommand', 5],
  ]);
  expect(sent[0]?.[2]).toMatchObject({
    Item: { CreatedAt: 'x-1', [model.ttlAttribute]: TTL, BenchVersion: 1 },
  });
  expect(JSON.stringify(sent[2])).toContain('":version":3');
  expect(watched.ledger.current('x-1')).toMatchObject({ number: 3, written: { how: 'made permanent' } });
});

test('a renewal that came too late is no write', async () => {
  const refused = new ConditionalCheckFailedException({ message: 'no', $metadata: {} });
  const { write, watched } = tableThat(command => {
    if (command === 'UpdateCommand') throw refused;
  });
  await write(action(1, 0), renewal(1));
  expect(watched.ledger.current('x-1')).toMatchObject({ number: 1, ttl: TTL });
});

test('what would expire before it is written is left out; what had expired by plan is written', async () => {
  const { clock, sent, write } = tableThat();
  await clock.sleep(61_000);
  await write(action(1, 1), action(2, 2, TTL + 60), action(3, 3, NOW / 1000 - 9));
  expect(sent.map(([, , { Item }]) => (Item as Input)['CreatedAt'])).toEqual(['x-2', 'x-3']);
});

test('an item waits for its action before, and no other item does', async () => {
  const { clock, sent, write } = tableThat(() => clock.sleep(10_000));
  await clock.sleep(5_000);
  await write(action(1, 1), renewal(2), action(2, 3));
  expect(sent.map(([command, at]) => [command, at])).toEqual([
    ['PutCommand', 5],
    ['PutCommand', 5],
    ['UpdateCommand', 15],
  ]);
});

test('ends with the first error, and when it is stopped', async () => {
  const failing = tableThat(() => {
    throw new Error('no table');
  });
  await expect(failing.write(action(1, 1), action(2, 2))).rejects.toThrow('no table');
  expect(failing.sent).toHaveLength(1);
  const stopping = new AbortController();
  const { watched, sent } = tableThat(() => stopping.abort());
  await watched.write([action(1, 1), action(2, 2)], stopping.signal);
  expect(sent).toHaveLength(1);
});
