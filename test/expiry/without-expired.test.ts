import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchExecuteStatementCommand,
  BatchGetCommand,
  DynamoDBDocumentClient,
  ExecuteStatementCommand,
  ExecuteTransactionCommand,
  GetCommand,
  QueryCommand,
  ScanCommand,
  TransactGetCommand,
} from '@aws-sdk/lib-dynamodb';
import { InvalidArgumentError, InvalidModelError, InvalidRequestError } from '../../expiry/errors.ts';
import { expiryModel } from '../../expiry/model.ts';
import { type FilterOptions, type TableModels, withoutExpired } from '../../expiry/without-expired.ts';

const nowMs = Date.parse('2022-07-19T21:27:00Z');
const now = nowMs / 1000;
const model = expiryModel({ partitionKey: 'id' });
const Keys = [{ id: 'a' }];

type Fields = Record<string, unknown>;

/** A client whose answers are given, and what it would have sent. What DynamoDB makes of it is tested in the other file. */
function answering(answer: Fields) {
  const sent: Fields[] = [];
  const lowLevel = new DynamoDBClient({
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    requestHandler: {
      handle: async ({ body }: { body: Uint8Array }) => {
        sent.push(JSON.parse(new TextDecoder().decode(body)));
        return {
          response: { statusCode: 200, headers: {}, body: new TextEncoder().encode(JSON.stringify(answer)) },
        };
      },
    } as never,
  });
  return { sent, documents: DynamoDBDocumentClient.from(lowLevel) };
}

const filtering = (documents: DynamoDBDocumentClient, models: TableModels = { Sessions: model }) =>
  withoutExpired(documents, models, { now: () => nowMs });

test('keys that were not read can be sent again: they ask for what the reader asked for', async () => {
  const { documents, sent } = answering({
    Responses: { Sessions: [{ color: { S: 'red' }, ttl: { N: String(now + 1) } }] },
    UnprocessedKeys: {
      Sessions: {
        Keys: [{ id: { S: 'b' } }],
        ProjectionExpression: 'color, #preciseTtl',
        ExpressionAttributeNames: { '#preciseTtl': 'ttl' },
      },
    },
  });
  const asked = { Sessions: { Keys, ProjectionExpression: 'color', ConsistentRead: true } };
  const output = await filtering(documents).send(new BatchGetCommand({ RequestItems: asked }));
  expect(sent[0]).toMatchObject({
    RequestItems: { Sessions: { ProjectionExpression: 'color, #preciseTtl' } },
  });
  expect(output.Responses).toEqual({ Sessions: [{ color: 'red' }] });
  expect(output.UnprocessedKeys).toEqual({
    Sessions: { Keys: [{ id: 'b' }], ProjectionExpression: 'color', ConsistentRead: true },
  });
});

test('an answer under the name of a table that was asked for by its ARN is filtered too', async () => {
  const { documents } = answering({ Responses: { Sessions: [{ id: { S: 'a' }, ttl: { N: String(now) } }] } });
  const RequestItems = { 'arn:aws:dynamodb:eu-central-1:123456789012:table/Sessions': { Keys } };
  const { Responses } = await filtering(documents).send(new BatchGetCommand({ RequestItems }));
  expect(Responses).toEqual({ Sessions: [] });
});

test('the request that was passed is not changed', async () => {
  const { documents, sent } = answering({});
  const request = { TableName: 'Sessions', Key: { id: 'a' }, ProjectionExpression: 'color' };
  const before = structuredClone(request);
  await filtering(documents).send(new GetCommand(request));
  expect(sent[0]).toHaveProperty('ExpressionAttributeNames', { '#preciseTtl': 'ttl' });
  expect(request).toEqual(before);
});

test('what is whole already is sent as it is', async () => {
  const { documents, sent } = answering({ Items: [], Count: 0 });
  const request = { TableName: 'Sessions', Limit: 5, Select: 'ALL_ATTRIBUTES' as const };
  await filtering(documents).send(new ScanCommand(request));
  expect(sent).toEqual([request]);
});

test("without a clock it goes by the machine's", async () => {
  const second = Math.floor(Date.now() / 1000);
  const { documents } = answering({
    Items: [second - 60, second + 60].map(ttl => ({ ttl: { N: String(ttl) } })),
  });
  const { Items } = await withoutExpired(documents, { Sessions: model }).send(
    new ScanCommand({ TableName: 'Sessions' }),
  );
  expect(Items).toEqual([{ ttl: second + 60 }]);
});

describe('a read that cannot be filtered is refused before it is sent:', () => {
  const Key = { id: 'a' };
  test.each<[string, ConstructorParameters<typeof GetCommand>[0] | object, RegExp]>([
    [
      'a table that was not named',
      { TableName: 'Session', Key },
      /^TableName: expected one of the tables .*\(Sessions\), got "Session"\. Add it/,
    ],
    ['a name that objects have', { TableName: 'constructor', Key }, /^TableName: .*got "constructor"/],
    ['no table', { Key }, /^TableName: .*got nothing/],
    [
      'a part of the TTL',
      { TableName: 'Sessions', Key, ProjectionExpression: 'id, ttl.at' },
      /^ProjectionExpression: expected the TTL attribute ttl as a whole/,
    ],
    [
      'legacy parameters',
      { TableName: 'Sessions', Key, AttributesToGet: ['id'] },
      /^AttributesToGet: .*expressions/,
    ],
    [
      'a part of the TTL by a placeholder',
      {
        TableName: 'Sessions',
        Key,
        ProjectionExpression: '#t[0]',
        ExpressionAttributeNames: { '#t': 'ttl' },
      },
      /^ProjectionExpression: .*got "#t\[0\]"/,
    ],
  ])('%s', async (_name, request, message) => {
    const { documents, sent } = answering({});
    const reading = filtering(documents).send(new GetCommand(request as never));
    await expect(reading).rejects.toThrow(InvalidRequestError);
    await expect(reading).rejects.toThrow(message);
    expect(sent).toEqual([]);
  });

  test.each([
    ['a BatchGet', () => new BatchGetCommand({ RequestItems: { Sessions: { Keys }, Others: { Keys } } })],
    [
      'a TransactGet',
      () => new TransactGetCommand({ TransactItems: [{ Get: { TableName: 'Others', Key } }] }),
    ],
  ])('a table that was not named, among those of %s', async (_name, command) => {
    const { documents, sent } = answering({});
    await expect(filtering(documents).send(command() as never)).rejects.toThrow(/^TableName: .*got "Others"/);
    expect(sent).toEqual([]);
  });

  const select = ' select * from "Sessions"';
  const update = 'UPDATE "Sessions" SET a = 1 WHERE id = ?';
  test.each([
    ['a statement', () => new ExecuteStatementCommand({ Statement: select })],
    [
      'a batch',
      () => new BatchExecuteStatementCommand({ Statements: [{ Statement: update }, { Statement: select }] }),
    ],
    ['a transaction', () => new ExecuteTransactionCommand({ TransactStatements: [{ Statement: select }] })],
  ])('%s of PartiQL that reads', async (_name, command) => {
    const { documents, sent } = answering({});
    const reading = filtering(documents).send(command() as ExecuteStatementCommand);
    await expect(reading).rejects.toThrow(/^Statement: expected a statement that writes.*got " select/);
    expect(sent).toEqual([]);
  });

  test.each(['Insert into "Sessions" value {}', update, 'DELETE FROM "Sessions" WHERE id = ?'])(
    'but not %s',
    async Statement => {
      const { documents, sent } = answering({});
      await filtering(documents).send(new ExecuteStatementCommand({ Statement }));
      expect(sent).toEqual([{ Statement }]);
    },
  );

  test('a request that another middleware, or an SDK before 3.778.0, puts in the place of ours', async () => {
    const { documents, sent } = answering({});
    const reader = filtering(documents);
    const request = { TableName: 'Sessions', Key, ProjectionExpression: 'color' };
    reader.middlewareStack.add(next => args => next({ ...args, input: request }), { step: 'initialize' });
    await expect(reader.send(new GetCommand(request))).rejects.toThrow(
      /^request: expected the TTL attribute among what is read, .*3\.778\.0/,
    );
    const RequestItems = { Sessions: { Keys, ProjectionExpression: 'color' } };
    reader.middlewareStack.add(next => args => next({ ...args, input: { RequestItems } }), {
      step: 'initialize',
    });
    await expect(reader.send(new BatchGetCommand({ RequestItems }))).rejects.toThrow(/^request: expected/);
    expect(sent).toEqual([]);
    const whole = { TableName: 'Sessions', Key };
    reader.middlewareStack.add(next => args => next({ ...args, input: whole }), { step: 'initialize' });
    await expect(reader.send(new GetCommand(whole))).resolves.toBeDefined();
  });
});

describe('withoutExpired', () => {
  const { documents } = answering({});
  const call = (client: unknown, models: unknown, options?: unknown) =>
    withoutExpired(client as DynamoDBDocumentClient, models as TableModels, options as FilterOptions);

  test.each<[string, unknown, RegExp]>([
    ['no client', undefined, /^client: expected a DynamoDBDocumentClient .*got nothing/],
    [
      "a client of the SDK's second version",
      new (class DocumentClient {
        options = { secret: 's3cret' };
      })(),
      /^client: .*got "an object of DocumentClient"/,
    ],
    ['a request', { TableName: 'Sessions' }, /^client: .*got "an object of Object"/],
    ['a client that filters already', filtering(documents), /^client: .*Name all tables in one call\./],
    [
      'a document client of a low-level one that filters already',
      DynamoDBDocumentClient.from(
        withoutExpired(new DynamoDBClient({ region: 'us-east-1' }), { Sessions: model }),
      ),
      /^client: .*made from it/,
    ],
  ])('fails for %s', (_name, client, message) => {
    expect(() => call(client, { Sessions: model })).toThrow(InvalidArgumentError);
    expect(() => call(client, { Sessions: model })).toThrow(message);
  });

  test.each<[string, unknown, RegExp]>([
    [
      'a model without a table',
      model,
      /^models: expected the models of the tables by their names, .*Write \{ Sessions: model \}/,
    ],
    ['no table', {}, /^models: expected/],
    ['no models', undefined, /^models: .*got nothing/],
    [
      'an ARN',
      { 'arn:aws:dynamodb:eu-central-1:123456789012:table/Sessions': model },
      /^models\["arn:.*Write Sessions: it also stands for the ARN/,
    ],
  ])('fails for %s', (_name, models, message) => {
    expect(() => call(documents, models)).toThrow(InvalidArgumentError);
    expect(() => call(documents, models)).toThrow(message);
  });

  test.each<[string, unknown]>([
    ['the props of a model', { partitionKey: 'id' }],
    ['undefined, which may be a mistake', undefined],
  ])('fails for %s', (_name, given) => {
    expect(() => call(documents, { Sessions: given })).toThrow(InvalidModelError);
    expect(() => call(documents, { Sessions: given })).toThrow(
      /^models\.Sessions: expected what expiryModel\(\) returns/,
    );
  });

  test.each<[string, unknown, RegExp]>([
    ['an unknown option', { nowMs }, /^nowMs: .*Did you mean now\?/],
    [
      'a clock that is a number',
      { now: nowMs },
      /^now: expected a function that gives epoch milliseconds, got 1658266020000/,
    ],
  ])('fails for %s', (_name, options, message) => {
    expect(() => call(documents, { Sessions: model }, options)).toThrow(message);
  });

  test.each<[string, unknown, RegExp]>([
    ['seconds', now, /^now\(\): expected epoch milliseconds.*looks like seconds/],
    ['nothing', undefined, /^now\(\): .*got nothing/],
  ])('fails with the read for a clock that gives %s', async (_name, time, message) => {
    const { documents: client } = answering({ Items: [] });
    const reader = withoutExpired(client, { Sessions: model }, { now: () => time as number });
    await expect(reader.send(new QueryCommand({ TableName: 'Sessions' }))).rejects.toThrow(message);
  });
});
