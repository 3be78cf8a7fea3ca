import { ListStateMachinesCommand } from '@aws-sdk/client-sfn';
import { isLoopback } from 'stepfunctions-emulator/loopback';
import { clientsOf } from '../../../operate/aws/clients.ts';
import { isThisMachine } from '../../../operate/aws/endpoint.ts';

import { InputError } from '../../../operate/errors.ts';

const LOCAL = { AWS_ENDPOINT_URL_SFN: 'http://127.0.0.1:8083' };
const { env } = process;
/** The SDK itself reads the process's environment. */
function inEnvironment(variables: Record<string, string>) {
  process.env = { HOME: '/no/such/home', ...variables };
  return clientsOf('eu-central-1', variables, { first: 'SFN' });
}
afterEach(() => {
  process.env = env;
});

/** The endpoint of a request, which is stopped before it is signed or sent. */
async function endpointOf(variables: Record<string, string>): Promise<string> {
  // Dummy credentials: the SDK would stop earlier without any.
  const credentials = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
  const { sfn, where } = inEnvironment({ ...credentials, ...variables });
  sfn.middlewareStack.add(() => () => Promise.reject(new Error('not sent')), { step: 'finalizeRequest' });
  await expect(sfn.send(new ListStateMachinesCommand({}))).rejects.toThrow('not sent');
  return where();
}

test.each<[string, Record<string, string>]>([
  ['https://states.eu-central-1.amazonaws.com', {}],
  ['http://127.0.0.1:8083', LOCAL],
  ['http://127.0.0.1:8083', { AWS_ENDPOINT_URL: 'http://127.0.0.1:8083' }],
  ['https://states.eu-central-1.amazonaws.com', { ...LOCAL, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' }],
  // The region is that of the configuration.
  ['https://states.eu-central-1.amazonaws.com', { AWS_REGION: 'us-west-2' }],
])('talks to %s with %p, and knows it', async (expected, variables) => {
  expect(await endpointOf(variables)).toBe(expected);
});

test.each<[string, Record<string, string>, object]>([
  ['dummies', LOCAL, { accessKeyId: 'local', secretAccessKey: 'local' }],
  ['dummies', { ...LOCAL, AWS_PROFILE: 'production' }, { accessKeyId: 'local' }],
  [
    "the environment's",
    { ...LOCAL, AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' },
    { accessKeyId: 'id', secretAccessKey: 'secret' },
  ],
])('takes %s as credentials for this machine with %p', async (_what, variables, expected) => {
  expect(await inEnvironment(variables).sfn.config.credentials()).toMatchObject(expected);
});

test('fails for an endpoint that is no URL', () => {
  const make = () => inEnvironment({ AWS_ENDPOINT_URL_SFN: '8083' }).sfn;
  expect(make).toThrow(InputError);
  expect(make).toThrow('AWS_ENDPOINT_URL_SFN: expected a URL such as http://127.0.0.1:8083, got "8083"');
});

test.each([
  ['http://127.0.0.1:8083', true],
  ['http://127.1.2.3', true],
  ['http://0x7f.1', true],
  ['http://[::1]:8083', true],
  ['http://LOCALHOST', true],
  ['http://localhost.evil.example', false],
  ['http://127.0.0.1.evil.example', false],
  ['http://128.0.0.1', false],
  ['http://[::2]', false],
  ['https://states.us-east-1.amazonaws.com', false],
])('%s is this machine: %p, as the emulator says too', (url, expected) => {
  const { hostname } = new URL(url);
  expect(isThisMachine(hostname)).toBe(expected);
  expect(isLoopback(hostname)).toBe(expected);
});
