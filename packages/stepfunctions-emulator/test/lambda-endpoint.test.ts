import { NotLoopbackError } from '../src/errors.ts';
import type { FunctionResult } from '../src/interpreter/index.ts';
import { LambdaEndpoint } from '../src/lambda-endpoint.ts';
import { requireLoopback } from '../src/loopback/index.ts';
import { functionError, type LambdaAnswer, useFakeLambda } from './support/fake-lambda.ts';

const refusal = (status: number, type: string | undefined, body: string): LambdaAnswer => ({
  status,
  headers: type === undefined ? {} : { 'x-amzn-errortype': type },
  body,
});

const ANSWERS: Record<string, LambdaAnswer> = {
  echo: { headers: { 'x-amz-executed-version': '7' }, body: '{"a":1}' },
  nothing: { body: '' },
  raised: functionError('CustomException', 'no'),
  cut: functionError(undefined, 'Task timed out after 3.00 seconds'),
  broken: { headers: { 'x-amz-function-error': 'Unhandled' }, body: 'gone' },
  text: { body: 'no JSON' },
  throttled: refusal(429, 'TooManyRequestsException:http://internal/', '{"message":"Rate Exceeded."}'),
  missing: refusal(
    404,
    undefined,
    '{"__type":"a.b#ResourceNotFoundException","Message":"Function not found"}',
  ),
  failing: refusal(500, undefined, 'Internal Server Error'),
  redirecting: { status: 307, headers: { location: 'http://192.0.2.1/' }, body: '' },
};

const lambda = useFakeLambda(({ functionName }) => ANSWERS[functionName]);
const invoke = (name: string, payload: unknown = {}, signal = new AbortController().signal) =>
  new LambdaEndpoint(lambda.endpoint).invoke(name, payload, { signal });

test('sends the event to the function and its version', async () => {
  await invoke('arn:aws:lambda:us-east-1:123456789012:function:echo:live', { é: [1] });
  expect(lambda.requests.at(-1)).toMatchObject({
    method: 'POST',
    functionName: 'echo',
    qualifier: 'live',
    body: '{"é":[1]}',
    headers: { 'content-type': 'application/json', 'x-amz-invocation-type': 'RequestResponse' },
  });
  expect(lambda.requests.at(-1)?.headers).not.toHaveProperty('authorization');
});

const failed = (errorType: string, cause: unknown) =>
  ({ ok: false, errorType, cause }) as Partial<FunctionResult>;

test.each([
  ['echo', { ok: true, payload: { a: 1 }, executedVersion: '7' }],
  ['nothing', { ok: true, payload: null, executedVersion: '$LATEST' }],
  ['raised', failed('CustomException', { errorMessage: 'no', errorType: 'CustomException', stackTrace: [] })],
  ['cut', failed('Lambda.Unknown', { errorMessage: 'Task timed out after 3.00 seconds', stackTrace: [] })],
  ['broken', failed('Lambda.Unknown', 'gone')],
  ['text', failed('Runtime.MarshalError', expect.stringContaining('no JSON'))],
  [
    'throttled',
    failed('Lambda.TooManyRequestsException', 'Rate Exceeded. (Service: Lambda, Status Code: 429)'),
  ],
  [
    'missing',
    failed('Lambda.ResourceNotFoundException', 'Function not found (Service: Lambda, Status Code: 404)'),
  ],
  [
    'failing',
    failed('Lambda.AWSLambdaException', 'Internal Server Error (Service: Lambda, Status Code: 500)'),
  ],
  ['redirecting', failed('Lambda.SdkClientException', expect.stringContaining('redirect'))],
])('what %s answers', async (name, expected) => {
  expect(await invoke(name)).toMatchObject(expected);
});

test('fails when nobody listens, and when it is aborted', async () => {
  const nobody = new LambdaEndpoint('http://127.0.0.1:9');
  const { signal } = new AbortController();
  expect(await nobody.invoke('echo', {}, { signal })).toMatchObject({
    errorType: 'Lambda.SdkClientException',
    cause: expect.stringMatching(/^Unable to execute HTTP request: .+/),
  });
  const controller = new AbortController();
  const hanging = invoke('hangs', {}, controller.signal);
  controller.abort();
  expect(await hanging).toMatchObject({ ok: false, errorType: 'Lambda.SdkClientException' });
});

test.each(['https://lambda.us-east-1.amazonaws.com', 'http://192.0.2.1:9001', 'nonsense'])(
  'refuses %s',
  endpoint => {
    expect(() => new LambdaEndpoint(endpoint)).toThrow(
      /^AWS_ENDPOINT_URL_LAMBDA: expected a URL on this machine/,
    );
  },
);

test.each([
  ['http://127.0.0.1:8000', 'http://127.0.0.1:8000'],
  ['http://127.0.0.1:8000/', 'http://127.0.0.1:8000'],
  ['http://127.9.8.7', 'http://127.9.8.7'],
  ['http://127.1:8000', 'http://127.0.0.1:8000'],
  ['http://localhost:8000', 'http://localhost:8000'],
  ['http://LOCALHOST:8000', 'http://localhost:8000'],
  ['https://[::1]:8000', 'https://[::1]:8000'],
])('accepts %s', (endpoint, expected) => {
  expect(requireLoopback(endpoint, 'X')).toBe(expected);
});

const refused = [
  'https://lambda.us-east-1.amazonaws.com',
  'http://128.0.0.1:8000',
  'http://10.0.0.1:8000',
  'http://0.0.0.0:8000',
  'http://[::]:8000',
  'http://[::ffff:10.0.0.1]:8000',
  'http://localhost.example.com:8000',
  'http://127.0.0.1.example.com',
  'http://127.0.0.1@example.com/',
  'http://user:secret@127.0.0.1:8000',
  'http://127.0.0.1:8000/path',
  'http://127.0.0.1:8000?x=1',
  'ftp://127.0.0.1',
  'file:///etc/passwd',
  '127.0.0.1:8000',
  'localhost',
  '',
];

test.each(refused)('refuses %p', endpoint => {
  expect(() => requireLoopback(endpoint, 'AWS_ENDPOINT_URL_LAMBDA')).toThrow(NotLoopbackError);
  expect(() => requireLoopback(endpoint, 'AWS_ENDPOINT_URL_LAMBDA')).toThrow(
    /^AWS_ENDPOINT_URL_LAMBDA: expected a URL on this machine .*, got ".*" \(.+\); use one on this machine/,
  );
});
