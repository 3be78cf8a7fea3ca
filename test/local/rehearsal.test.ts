/** @jest-environment ./test/support/dynamodb-environment.ts */
import {
  BatchExecuteStatementCommand,
  CreateTableCommand,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import { localDynamoDb } from 'aws-on-loopback/dynamodb/clients';
import { type Incident, Rehearsal } from '../../local/rehearsal.ts';
import { SteppedClock } from '../../testing/stepped-clock.ts';
import { dynamoDbOfFile, useLocalDynamoDb } from '../support/local-dynamodb.ts';

const START = Date.parse('2026-11-21T12:08:20Z');
const UNTIL_IT_BEGINS = 115_000;
const FOR = 60_000;
const TableName = 'Broken';

const unbroken = useLocalDynamoDb();
const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});
beforeAll(async () => {
  await unbroken.client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: ['id', 'shelf'].map(AttributeName => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'byShelf',
          KeySchema: [{ AttributeName: 'shelf', KeyType: 'HASH' }],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
    }),
  );
});

interface Played {
  readonly rehearsal: Rehearsal;
  readonly clock: SteppedClock;
  readonly client: DynamoDBClient;
  /** Whether it is on, at each change; or why it could not change. */
  readonly changes: unknown[];
}

/** An incident that has just begun. */
async function begun(incident: Incident): Promise<Played> {
  const clock = new SteppedClock(START);
  const changes: unknown[] = [];
  const onChange = ({ isOn }: Rehearsal, error?: unknown) => changes.push(error ?? isOn);
  const rehearsal = new Rehearsal({ incident, forMs: FOR, onChange }, clock);
  undo.push(() => rehearsal.stop());
  const client = localDynamoDb(await rehearsal.listen(dynamoDbOfFile().endpoint, 0), 'us-east-1', {
    maxAttempts: 1,
    requestHandler: { requestTimeout: 1_000, throwOnRequestTimeout: true },
  });
  undo.push(() => client.destroy());
  rehearsal.plan();
  await clock.advance(UNTIL_IT_BEGINS - 1);
  expect([changes, rehearsal.isOn, rehearsal.aheadMs()]).toEqual([[], false, 0]);
  await client.send(new ListTablesCommand({}));
  await clock.advance(1);
  await clock.busy(async () => {});
  return { rehearsal, clock, client, changes };
}

async function expectMended({ rehearsal, clock, client, changes }: Played): Promise<void> {
  expect(changes).toEqual([true]);
  await clock.advance(FOR);
  expect([changes, rehearsal.aheadMs()]).toEqual([[true, false], 0]);
  await client.send(new ListTablesCommand({}));
}

/** Names of errors; undefined for what went through. */
const outcomes = async (calls: readonly (() => Promise<unknown>)[]) => {
  const names: (string | undefined)[] = [];
  for (const call of calls)
    names.push(
      await call().then(
        () => undefined,
        error => `${error.name} ${error.$metadata?.httpStatusCode} ${error.message}`,
      ),
    );
  return names;
};
const key = (id: string) => ({ id: { S: id } });

test('throttle: one in ten reads of an index and deletes goes through, and the rest is refused in DynamoDB’s words', async () => {
  const played = await begun({ kind: 'throttle' });
  const { client } = played;
  for (let id = 0; id < 10; id++) {
    await client.send(new PutItemCommand({ TableName, Item: { ...key(`${id}`), shelf: { S: 'same' } } }));
    await client.send(new GetItemCommand({ TableName, Key: key(`${id}`) }));
  }
  const ten = Array.from({ length: 10 });
  const ask = new QueryCommand({
    TableName,
    IndexName: 'byShelf',
    KeyConditionExpression: 'shelf = :shelf',
    ExpressionAttributeValues: { ':shelf': { S: 'same' } },
  });
  const reads = await outcomes(ten.map(() => () => client.send(ask)));
  expect([reads[0], reads.filter(each => each === undefined).length]).toEqual([undefined, 1]);
  expect(reads[1]).toMatch(
    /^ProvisionedThroughputExceededException 400 The level .* global secondary indexes of the table was exceeded/,
  );
  const deletes = await outcomes(
    ten.map((_unused, id) => () => client.send(new DeleteItemCommand({ TableName, Key: key(`${id}`) }))),
  );
  expect(deletes.filter(each => each === undefined)).toHaveLength(1);
  expect(deletes[1]).toMatch(
    /^ProvisionedThroughputExceededException 400 The level .* for the table was exceeded/,
  );
  const Statements = ten.map((_unused, id) => ({
    Statement: `DELETE FROM "${TableName}" WHERE "id" = ?`,
    Parameters: [{ S: `${id}` }],
  }));
  const { Responses = [] } = await client.send(new BatchExecuteStatementCommand({ Statements }));
  const errors = Responses.map(({ Error: error }) => error);
  expect(errors.filter(each => each === undefined)).toHaveLength(1);
  expect(errors[1]).toEqual({
    Code: 'ProvisionedThroughputExceeded',
    Message: expect.stringMatching(/^The level .* for the table was exceeded/),
  });
  await expectMended(played);
});

test('down: nobody listens, and at the end somebody does at the same port', async () => {
  const played = await begun({ kind: 'down' });
  await expect(played.client.send(new ListTablesCommand({}))).rejects.toThrow('ECONNREFUSED');
  await expectMended(played);
});

test('hang: no call is answered or done, and those that still wait at the end lose their connection', async () => {
  const played = await begun({ kind: 'hang' });
  const put = (id: string) => new PutItemCommand({ TableName, Item: key(id) });
  await expect(played.client.send(put('hung'))).rejects.toMatchObject({ name: 'TimeoutError' });
  const patient = localDynamoDb(played.rehearsal.endpoint ?? '', 'us-east-1', { maxAttempts: 1 });
  const waiting = patient.send(put('waited'));
  const ended = expect(waiting).rejects.toThrow('socket hang up');
  // It is at the proxy when another one has been given up.
  await expect(played.client.send(put('hung'))).rejects.toMatchObject({ name: 'TimeoutError' });
  await expectMended(played);
  await ended;
  patient.destroy();
  for (const id of ['hung', 'waited']) {
    const { Item } = await unbroken.client.send(new GetItemCommand({ TableName, Key: key(id) }));
    expect(Item).toBeUndefined();
  }
});

test('slow: a call is done, and its answer comes too late for whoever waits a second', async () => {
  const played = await begun({ kind: 'slow' });
  const put = played.client.send(new PutItemCommand({ TableName, Item: key('late') }));
  await expect(put).rejects.toMatchObject({ name: 'TimeoutError' });
  const { Item } = await unbroken.client.send(new GetItemCommand({ TableName, Key: key('late') }));
  expect(Item).toEqual(key('late'));
  await expectMended(played);
});

test.each([2_000, -20_000])('clock: the others are %i ms ahead, for as long as it lasts', async aheadMs => {
  const played = await begun({ kind: 'clock', aheadMs });
  expect(played.rehearsal.aheadMs()).toBe(aheadMs);
  await expectMended(played);
});

test.each<Incident>([{ kind: 'hang' }, { kind: 'down' }])(
  'it can be stopped while it lasts: %j',
  async incident => {
    const { rehearsal, client } = await begun(incident);
    const asked = expect(client.send(new ListTablesCommand({}))).rejects.toThrow();
    await rehearsal.stop();
    await rehearsal.stop();
    await asked;
  },
);
