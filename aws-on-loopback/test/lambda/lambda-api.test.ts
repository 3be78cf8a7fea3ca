import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { FunctionResult } from 'stepfunctions-emulator';
import { startLambda } from '../../src/lambda/lambda-api.ts';
import type { LocalService } from '../../src/service.ts';

const ARN = 'arn:aws:lambda:us-east-1:123456789012:function:f';
const results: Readonly<Record<string, FunctionResult>> = {
  [ARN]: { ok: true, payload: { seen: true } },
  nothing: { ok: true, payload: undefined },
  throws: { ok: false, errorType: 'NoGood', errorMessage: 'x', cause: 'x' },
  throttled: {
    ok: false,
    errorType: 'Lambda.TooManyRequestsException',
    errorMessage: 'Rate Exceeded.',
    cause: '',
  },
};
const calls: [string, unknown][] = [];
let server: LocalService;
let client: LambdaClient;
beforeAll(async () => {
  server = await startLambda({
    invoke: async (name, payload) => {
      calls.push([name, payload]);
      return results[name];
    },
  });
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  client = new LambdaClient({ endpoint: server.endpoint, region: 'us-east-1', credentials, maxAttempts: 1 });
});
afterAll(async () => {
  client.destroy();
  await server.stop();
});

const invoke = async (FunctionName: string, over: object = {}) => {
  const { FunctionError, Payload, StatusCode } = await client.send(
    new InvokeCommand({ FunctionName, Payload: JSON.stringify({ events: [1] }), ...over }),
  );
  return { FunctionError, StatusCode, text: Buffer.from(Payload ?? []).toString() };
};

test('gives the answer of the function, by name and by ARN', async () => {
  expect(await invoke(ARN)).toEqual({ FunctionError: undefined, StatusCode: 200, text: '{"seen":true}' });
  expect(await invoke('nothing')).toMatchObject({ text: 'null' });
  expect(calls[0]).toEqual([ARN, { events: [1] }]);
});

test('tells an error of the function from one of Lambda', async () => {
  expect(await invoke('throws')).toEqual({
    FunctionError: 'Unhandled',
    StatusCode: 200,
    text: '{"errorType":"NoGood","errorMessage":"x"}',
  });
  await expect(invoke('throttled')).rejects.toMatchObject({
    name: 'TooManyRequestsException',
    $metadata: { httpStatusCode: 429 },
  });
  await expect(invoke('unknown')).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
    message: 'Function not found: unknown',
  });
});

test('fails for what it does not do', async () => {
  await expect(invoke(ARN, { InvocationType: 'Event' })).rejects.toThrow(
    /expected Invoke with InvocationType RequestResponse, got POST .* \(Event\)/,
  );
});
