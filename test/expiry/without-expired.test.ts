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

const Key = { id: 'a' };
const select = ' select * from "Sessions"';
const update = 'UPDATE "Sessions" SET a = 1 WHERE id = ?';

describe('a read that cannot be filtered is refused before it is sent:', () => {
  const get = (request: object) => new GetCommand({ Key, ...request } as never);
  const getting = (request: object) => get({ TableName: 'Sessions', ...request });
  test.each<[string, object, RegExp]>([
    [
      'a table that was not named',
      get({ TableName: 'Session' }),
      /^TableName: expected one of the tables .*\(Sessions\), got "Session"\. Add it/,
    ],
    ['no table', get({}), /^TableName: .*got nothing/],
    [
      'such a table in a BatchGet',
      new BatchGetCommand({ RequestItems: { Sessions: { Keys }, Others: { Keys } } }),
      /^TableName: .*got "Others"/,
    ],
    [
      'such a table in a TransactGet',
      new TransactGetCommand({ TransactItems: [{ Get: { TableName: 'Others', Key } }] }),
      /^TableName: .*got "Others"/,
    ],
    [
      'a part of the TTL',
      getting({ ProjectionExpression: 'id, ttl.at' }),
      /^ProjectionExpression: expected the TTL attribute ttl as a whole/,
    ],
    [
      'a part of the TTL by a placeholder',
      getting({ ProjectionExpression: '#t[0]', ExpressionAttributeNames: { '#t': 'ttl' } }),
      /^ProjectionExpression: .*got "#t\[0\]"/,
    ],
    [
      'our placeholder for another attribute',
      getting({ ProjectionExpression: '#preciseTtl', ExpressionAttributeNames: { '#preciseTtl': 'color' } }),
      /^ExpressionAttributeNames: expected #preciseTtl for the TTL attribute ttl alone/,
    ],
    ['legacy parameters', getting({ AttributesToGet: ['id'] }), /^AttributesToGet: .*expressions/],
    [
      'a statement of PartiQL',
      new ExecuteStatementCommand({ Statement: select }),
      /^Statement: expected a statement that writes.*got " select/,
    ],
    [
      'one among those of a batch',
      new BatchExecuteStatementCommand({ Statements: [{ Statement: update }, { Statement: select }] }),
      /^Statement: .*got " select/,
    ],
    [
      'one of a transaction',
      new ExecuteTransactionCommand({ TransactStatements: [{ Statement: select }] }),
      /^Statement: .*got " select/,
    ],
  ])('%s', async (_name, command, message) => {
    const { documents, sent } = answering({});
    const reading = filtering(documents).send(command as GetCommand);
    await expect(reading).rejects.toThrow(InvalidRequestError);
    await expect(reading).rejects.toThrow(message);
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
  const ofSecondVersion = new (class DocumentClient {
    options = { secret: 's3cret' };
  })();
  const arn = 'arn:aws:dynamodb:eu-central-1:123456789012:table/Sessions';
  test.each<[string, { client?: unknown; models?: unknown; options?: unknown }, RegExp, isOfModel?: boolean]>(
    [
      ['no client', { client: null }, /^client: expected a DynamoDBDocumentClient .*got null/],
      [
        "a client of the SDK's second version",
        { client: ofSecondVersion },
        /^client: .*got "an object of DocumentClient"/,
      ],
      [
        'a client that filters already',
        { client: filtering(documents) },
        /^client: .*Name all tables in one call\./,
      ],
      [
        'a model without a table',
        { models: model },
        /^models: expected the models of the tables by their names, .*Write \{ Sessions: model \}/,
      ],
      ['no table', { models: {} }, /^models: expected/],
      ['an ARN', { models: { [arn]: model } }, /^models\["arn:.*Write Sessions: it also/],
      [
        'the props of a model',
        { models: { Sessions: { partitionKey: 'id' } } },
        /^models\.Sessions: expected what expiryModel\(\) returns/,
        true,
      ],
      ['undefined, which may be a mistake', { models: { Sessions: undefined } }, /^models\.Sessions/, true],
      ['an unknown option', { options: { nowMs } }, /^nowMs: .*Did you mean now\?/],
      ['a clock that is a number', { options: { now: nowMs } }, /^now: expected a function/],
    ],
  )('fails for %s', (_name, given, message, isOfModel = false) => {
    const { client, models, options } = { client: documents, models: { Sessions: model }, ...given };
    const call = () =>
      withoutExpired(client as DynamoDBDocumentClient, models as TableModels, options as FilterOptions);
    expect(call).toThrow(isOfModel ? InvalidModelError : InvalidArgumentError);
    expect(call).toThrow(message);
  });

  test('fails with the read for a clock that is not in milliseconds', async () => {
    const reader = withoutExpired(documents, { Sessions: model }, { now: () => now });
    const reading = reader.send(new QueryCommand({ TableName: 'Sessions' }));
    await expect(reading).rejects.toThrow(/^now\(\): expected epoch milliseconds.*looks like seconds/);
  });
});
