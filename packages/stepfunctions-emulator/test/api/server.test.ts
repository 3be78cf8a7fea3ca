import { once } from 'node:events';
import { connect } from 'node:net';
import { SFN } from '@aws-sdk/client-sfn';
import { seededRandom } from '../../src/interpreter/index.ts';
import { NotLoopbackError, requireLoopback } from '../../src/loopback.ts';
import { create, PASS, post, useStepFunctionsApi } from './support.ts';

const api = useStepFunctionsApi();
const call = (operation: string, body: string | Uint8Array) =>
  post(api.endpoint, `AWSStepFunctions.${operation}`, body);

/** Every test: whatever was asked, the server still answers, and found nothing wrong with itself. */
afterEach(async () => {
  expect(await call('ListStateMachines', '{}')).toMatchObject({ status: 200 });
  expect(api.errors).toEqual([]);
});

test('AWS_ENDPOINT_URL_SFN is all that a client needs', async () => {
  const before = { ...process.env };
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_SFN: api.endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  });
  const client = new SFN();
  try {
    const arn = await create(api, PASS);
    const { stateMachines } = await client.listStateMachines({});
    expect(stateMachines?.map(one => one.stateMachineArn)).toContain(arn);
  } finally {
    client.destroy();
    process.env = before;
  }
});

const expectRefused = async (target: string | undefined, body: string, error: string, message: RegExp) => {
  const { status, answer, requestId } = await post(api.endpoint, target, body);
  expect({ status, type: String(answer['__type']).split('#')[1] }).toEqual({ status: 400, type: error });
  expect(answer['message']).toMatch(message);
  expect(requestId).toMatch(/^[\da-f-]{36}$/);
};

test.each([
  ['AWSStepFunctions.StartEverything', /"AWSStepFunctions.StartEverything"/],
  ['AmazonSQS.ListQueues', /expected AWSStepFunctions/],
  [undefined, /got nothing/],
  // The name of a property of every object.
  ['AWSStepFunctions.constructor', /constructor/],
  ...[
    'CreateActivity',
    'TestState',
    'PublishStateMachineVersion',
    'CreateStateMachineAlias',
    'TagResource',
  ].map((name): [string, RegExp] => [
    `AWSStepFunctions.${name}`,
    new RegExp(`got "AWSStepFunctions.${name}"; others are not answered`),
  ]),
])('the operation %s is not there', (target, message) =>
  expectRefused(target, '{}', 'UnknownOperationException', message),
);

test.each([
  ['malformed JSON', 'StartExecution', '{"a":', /JSON/],
  ['an array', 'StartExecution', '[]', /got an array/],
  ['brackets', 'StartExecution', '['.repeat(500_000), /JSON/],
  [
    'a number for a string',
    'StartExecution',
    '{"stateMachineArn":1}',
    /^NUMBER_VALUE can not be converted to a String at 'stateMachineArn'$/,
  ],
  [
    'a string for a number',
    'ListStateMachines',
    '{"maxResults":"1"}',
    /^STRING_VALUE can not be converted to an Integer at 'maxResults'$/,
  ],
  [
    'an object for a list',
    'CreateStateMachine',
    '{"tags":{}}',
    /^START_OBJECT can not be converted to a List at 'tags'$/,
  ],
])('%s is answered as AWS does', (_what, operation, body, message) =>
  expectRefused(`AWSStepFunctions.${operation}`, body, 'SerializationException', message),
);

test('a request without a body is one without members', () =>
  expectRefused(
    'AWSStepFunctions.StartExecution',
    '',
    'ValidationException',
    /Value null at 'stateMachineArn'/,
  ));

/** Addresses of this machine on which a server that listens on every interface answers, and one on 127.0.0.1 does not. */
test.each(['127.0.0.2', '::1'])('it listens on 127.0.0.1 only, not on %s', async host => {
  const socket = connect(Number(new URL(api.endpoint).port), host);
  await expect(once(socket, 'connect')).rejects.toThrow(/E(CONNREFUSED|ADDRNOTAVAIL|AFNOSUPPORT|NETUNREACH)/);
});

test('unknown members are ignored, and null is as good as absent', async () => {
  const { status, answer } = await call('ListStateMachines', '{"color":"red","maxResults":null}');
  expect(status).toBe(200);
  expect(answer).toHaveProperty('stateMachines');
});

test('a request that is too long is answered, not cut off', async () => {
  const { status, answer } = await call('StartExecution', JSON.stringify({ input: 'x'.repeat(5_000_000) }));
  expect([status, String(answer['__type'])]).toEqual([
    413,
    'com.amazon.coral.service#RequestEntityTooLargeException',
  ]);
});

/** Sends bytes and returns what comes back until the connection ends. */
function raw(bytes: Uint8Array | string): Promise<string> {
  return new Promise(resolve => {
    let received = '';
    const socket = connect(Number(new URL(api.endpoint).port), '127.0.0.1', () => socket.end(bytes));
    socket.on('data', data => {
      received += data;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(received));
  });
}

test.each([
  ['evil.example', 403],
  ['evil.example:8083', 403],
  ['127.0.0.1.evil.example', 403],
  ['localhost', 200],
  ['127.0.0.1:8083', 200],
  ['[::1]:8083', 200],
  ['sync-localhost:8083', 200],
])('Host %s gets %d', async (host, status) => {
  const answer = await raw(
    `POST / HTTP/1.1\r\nHost: ${host}\r\nX-Amz-Target: AWSStepFunctions.ListStateMachines\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
  );
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
});

test('members of random types are errors of the API', async () => {
  const source = seededRandom(7);
  const random = () => source.next();
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const stateMachineArn = await create(api, PASS);
  const values = [
    null,
    true,
    1,
    -1,
    1.5,
    '',
    'x',
    [],
    {},
    [{}],
    { type: 1 },
    stateMachineArn,
    PASS,
    '\u0000',
  ];
  const names = (
    'stateMachineArn executionArn mapRunArn name input definition roleArn type tags maxResults nextToken ' +
    'statusFilter reverseOrder includedData publish versionDescription error cause'
  ).split(' ');
  const operations = (
    'CreateStateMachine UpdateStateMachine DescribeStateMachine DeleteStateMachine ListStateMachines ' +
    'StartExecution StartSyncExecution DescribeExecution GetExecutionHistory ListExecutions StopExecution ' +
    'DescribeMapRun ListMapRuns'
  ).split(' ');
  const statuses = new Set<number>();
  for (let round = 0; round < 400; round += 1) {
    const body = Object.fromEntries(Array.from({ length: 4 }, () => [pick(names), pick(values)]));
    statuses.add((await call(pick(operations), JSON.stringify(body))).status);
  }
  expect([...statuses].filter(status => status !== 200 && status !== 400)).toEqual([]);
});

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
  'http://0.0.0.0:8000',
  'http://[::]:8000',
  'http://localhost.example.com:8000',
  'http://127.0.0.1.example.com',
  'http://127.0.0.1@example.com/',
  'http://user:secret@127.0.0.1:8000',
  'http://127.0.0.1:8000/path',
  'http://127.0.0.1:8000?x=1',
  'file:///etc/passwd',
  '127.0.0.1:8000',
  '',
];

test.each(refused)('refuses %p', endpoint => {
  expect(() => requireLoopback(endpoint, 'AWS_ENDPOINT_URL_LAMBDA')).toThrow(NotLoopbackError);
  expect(() => requireLoopback(endpoint, 'AWS_ENDPOINT_URL_LAMBDA')).toThrow(
    /^AWS_ENDPOINT_URL_LAMBDA: expected a URL on this machine .*, got ".*" \(.+\); use one on this machine/,
  );
});
