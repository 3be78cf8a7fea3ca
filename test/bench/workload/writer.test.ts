import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { VirtualClock } from 'stepfunctions-emulator';
import { Ledger } from '../../../bench/ledger/ledger.ts';
import type { Action } from '../../../bench/workload/plan.ts';
import { SessionTable } from '../../../bench/workload/session-table.ts';
import { carryOut } from '../../../bench/workload/writer.ts';
import { expiryModel } from '../../../expiry/index.ts';
import { localDynamoDb } from '../../../local/dynamodb/clients.ts';
import type { TableResource } from '../../../local/dynamodb/table.ts';

const NOW = Date.parse('2026-11-20T09:00:00Z');
const TTL = NOW / 1000 + 60;
const model = expiryModel({ partitionKey: 'User', sortKey: 'CreatedAt' });
const resource = {
  name: 'Sessions',
  region: 'us-east-1',
  attributes: { User: 'S', CreatedAt: 'S' },
} as unknown as TableResource;

type Input = Readonly<Record<string, unknown>>;
type Answer = (command: string, input: Input) => unknown;

const client = localDynamoDb('http://127.0.0.1:1', 'us-east-1');
afterAll(() => client.destroy());

/** A table whose requests a test answers in place of DynamoDB. */
function tableThat(answer: Answer = () => ({}), table = resource, keys = model) {
  const sent: [command: string, input: Input][] = [];
  jest.spyOn(DynamoDBDocumentClient.prototype, 'send').mockImplementation(async (command: object) => {
    const { input } = command as { input: Input };
    sent.push([command.constructor.name, input]);
    return answer(command.constructor.name, input);
  });
  const clock = new VirtualClock(NOW);
  const ledger = new Ledger(() => clock.now());
  const sessions = new SessionTable(client, ledger, { table, model: keys, prefix: 'session-x', clock });
  const act: SessionTable['act'] = action => sessions.act(action);
  return { sent, clock, sessions, ledger, act };
}

function refused(): never {
  throw new ConditionalCheckFailedException({ message: 'no', $metadata: {} });
}

test.each([
  ['a string', 'S', 'session-x-7'],
  ['a number', 'N', '7'],
  ['bytes', 'B', 'session-x-7'],
])('a sort key that is %s names the item, in the ledger as in the stream', async (_name, type, id) => {
  const attributes = { User: type, CreatedAt: type };
  const { sessions, ledger, act } = tableThat(undefined, { ...resource, attributes } as TableResource);
  await act({ kind: 'write', item: 7, ttl: TTL });
  expect(ledger.current(id)).toMatchObject({ number: 1 });
  const value = { [type]: type === 'B' ? Buffer.from(id).toString('base64') : id };
  const image = { CreatedAt: value, BenchVersion: { N: '2' }, ExpirationTime: { N: '5' } } as never;
  expect(sessions.read(image)).toMatchObject({ id, version: 2 });
});

test('keys and expiry are as they were asked for, whatever the attributes of the table are called', async () => {
  const { sent, act } = tableThat();
  await act({ kind: 'write', item: 7, ttl: TTL });
  const [[, input] = ['', {}]] = sent;
  expect(input).toMatchObject({
    Item: { CreatedAt: 'session-x-7', [model.ttlAttribute]: TTL, BenchVersion: 1 },
  });
});

test('every write gives an item another version, and the ledger has what was acknowledged', async () => {
  const { sent, act, ledger } = tableThat();
  await act({ kind: 'write', item: 1, ttl: TTL });
  await act({ kind: 'renew', item: 1, ttl: TTL + 60 });
  await act({ kind: 'makePermanent', item: 1, ttl: undefined });
  await act({ kind: 'delete', item: 1, ttl: undefined });
  expect(sent.map(([command]) => command)).toEqual([
    'PutCommand',
    'UpdateCommand',
    'UpdateCommand',
    'DeleteCommand',
  ]);
  expect(JSON.stringify(sent.at(-1))).toContain('":version":3');
  expect(ledger.counts).toEqual({ items: 1, renewals: 2, deletedByUs: 1, swept: 0 });
});

test('a renewal that came too late is in the ledger, and the item keeps its version', async () => {
  const { sent, act, ledger } = tableThat(command => (command === 'UpdateCommand' ? refused() : {}));
  await act({ kind: 'write', item: 1, ttl: TTL });
  await act({ kind: 'renew', item: 1, ttl: TTL + 60 });
  await act({ kind: 'write', item: 1, ttl: TTL + 60 });
  expect(sent.at(-1)?.[1]).toMatchObject({ Item: { BenchVersion: 2 } });
  const [violation] = ledger.verify(new Map(), { nowMs: NOW });
  expect(violation?.history).toEqual([
    expect.stringContaining('wrote: version 1'),
    expect.stringContaining('was gone when it was to be renewed'),
    expect.stringContaining('wrote: version 2'),
  ]);
});

test.each([
  ['was gone', refused],
  [
    'unsure',
    () => {
      throw new Error('the connection broke');
    },
  ],
])('a delete of which nothing else is known: %s', async (outcome, answer) => {
  const { act, ledger } = tableThat(command => (command === 'DeleteCommand' ? answer() : {}));
  await act({ kind: 'write', item: 1, ttl: TTL });
  await act({ kind: 'delete', item: 1, ttl: undefined });
  const { history } = ledger.violation('left', 'session-x-1');
  expect(history.at(-1)).toContain(`delete of version 1 by the application: ${outcome}`);
});

describe('carrying out what was planned', () => {
  const write = (item: number, seconds: number, ttl = TTL): Action => ({
    atMs: NOW + seconds * 1000,
    item,
    kind: 'write',
    ttl,
  });
  const go = new AbortController().signal;

  test('does each deed at its time', async () => {
    const at: number[] = [];
    const { clock, act } = tableThat(() => {
      at.push((clock.now() - NOW) / 1000);
      return {};
    });
    await carryOut([write(1, 1), write(2, 5)], act, go, { clock });
    expect(at).toEqual([1, 5]);
  });

  test('leaves out what would expire before it is written, when it is told to', async () => {
    const { clock, sent, act } = tableThat();
    const late = [write(1, 61), write(2, 61, TTL + 60)];
    await carryOut(late, act, go, { clock, skipExpired: true });
    expect(sent).toHaveLength(1);
    await carryOut(late, act, go, { clock });
    expect(sent).toHaveLength(3);
  });

  test('begins with an item again only when the deed before is done', async () => {
    const order: string[] = [];
    const { clock, act } = tableThat(async (command, { Key, Item }) => {
      const { CreatedAt } = (Key ?? Item) as { CreatedAt: string };
      order.push(`${command} ${CreatedAt}`);
      await clock.sleep(command === 'PutCommand' ? 10_000 : 0);
      order.push(`${command} done`);
      return {};
    });
    const renew = { ...write(1, 2, TTL + 60), kind: 'renew' } as const;
    await carryOut([write(1, 1), renew, write(2, 3)], act, go, { clock });
    expect(order).toEqual([
      'PutCommand session-x-1',
      'PutCommand session-x-2',
      'PutCommand done',
      'UpdateCommand session-x-1',
      'UpdateCommand done',
      'PutCommand done',
    ]);
  });

  test('ends with the first error, and when it is stopped', async () => {
    const failing = tableThat(() => {
      throw new Error('no table');
    });
    const actions = [write(1, 1), write(2, 2), write(3, 3)];
    await expect(carryOut(actions, failing.act, go, { clock: failing.clock })).rejects.toThrow('no table');
    expect(failing.sent).toHaveLength(1);
    const stopping = new AbortController();
    const stopped = tableThat(() => stopping.abort());
    await carryOut(actions, stopped.act, stopping.signal, { clock: stopped.clock });
    expect(stopped.sent).toHaveLength(1);
  });
});
