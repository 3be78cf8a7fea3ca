/** @jest-environment ./test/support/dynamodb-environment.ts */
import { DynamoDBClient, ListTablesCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { useLocalDynamoDb } from '../support/local-dynamodb.ts';
import { CallRecorder } from '../support/permissions/recorder.ts';

const dynamoDb = useLocalDynamoDb();
const recorder = new CallRecorder();
beforeAll(() => recorder.start(dynamoDb.endpoint));
afterAll(() => recorder.stop());

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
const clientOf = (traceId: string) => {
  const client = new DynamoDBClient({
    endpoint: recorder.endpoint,
    region: 'us-east-1',
    credentials,
    maxAttempts: 1,
  });
  client.middlewareStack.add(
    next => args => {
      (args.request as { headers: Record<string, string> }).headers['x-amzn-trace-id'] = traceId;
      return next(args);
    },
    { step: 'build' },
  );
  return client;
};

/** As the local functions do it: the trace id is made, and tracked, within the wrapped invocation. */
async function invoke(functionName: string, traceId: string): Promise<void> {
  const call = { functionName, functionArn: `arn:${functionName}`, payload: {} };
  await recorder.wrap(call, async () => {
    recorder.track(traceId);
    await clientOf(traceId).send(new ListTablesCommand({}));
    return { ok: true, payload: null };
  });
}

test('tells the calls of invocations that run at the same time apart, and lets them through', async () => {
  await Promise.all([invoke('one', 'trace-1'), invoke('two', 'trace-2')]);
  expect(recorder.calls.map(({ functionName }) => functionName).sort()).toEqual(['one', 'two']);
  expect(recorder.calls[0]).toMatchObject({ service: 'dynamodb', operation: 'ListTables', body: {} });
  expect([...recorder.invocations].sort()).toEqual(['arn:one', 'arn:two']);
});

test('a call whose invocation nobody saw is not dropped', async () => {
  await clientOf('nobody').send(new ListTablesCommand({}));
  expect(recorder.calls.at(-1)).toMatchObject({ functionName: 'unknown', operation: 'ListTables' });
});

test('answers in the place of DynamoDB when it is told to', async () => {
  recorder.intercept = ({ operation }) =>
    operation === 'Query'
      ? { status: 400, body: { __type: 'x#ThrottlingException', message: 'no' } }
      : undefined;
  await expect(clientOf('trace-1').send(new QueryCommand({ TableName: 'T' }))).rejects.toMatchObject({
    name: 'ThrottlingException',
  });
  expect(recorder.calls.at(-1)).toMatchObject({
    functionName: 'one',
    operation: 'Query',
    body: { TableName: 'T' },
  });
});

test.each([
  ['monitoring', { 'x-amz-target': 'GraniteServiceVersion20100801.PutMetricData' }, 'PutMetricData'],
  ['s3', {}, 'PUT /bucket/key'],
])('writes down a call of %s, and lets it go nowhere', async (service, headers, operation) => {
  const authorization = `AWS4-HMAC-SHA256 Credential=local/20261120/us-east-1/${service}/aws4_request, SignedHeaders=host`;
  const answer = await fetch(`${recorder.endpoint}/bucket/key`, {
    method: 'PUT',
    headers: { authorization, ...headers },
    body: '{}',
  });
  expect(answer.status).toBe(400);
  expect(recorder.calls.at(-1)).toMatchObject({ service, operation });
});
