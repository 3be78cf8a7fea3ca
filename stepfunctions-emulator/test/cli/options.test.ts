import { UsageError } from '../../src/cli/errors.ts';
import { describeFlags, readFlags } from '../../src/cli/flags.ts';
import { readOptions } from '../../src/cli/options.ts';

const read = (line: string, environment: Record<string, string> = {}) =>
  readOptions(readFlags(line.split(' ').filter(Boolean)), environment);

test('without flags it is an empty server on the port of Step Functions Local', () => {
  expect(read('')).toEqual({
    definitions: [],
    port: 8083,
    functionsFile: undefined,
    lambdaEndpoint: undefined,
    watch: false,
    virtualClock: false,
    expressAgainMs: [],
    region: 'us-east-1',
    partition: 'aws',
    account: '123456789012',
    roleArn: 'arn:aws:iam::123456789012:role/stepfunctions-emulator',
  });
});

test('--express-again is in seconds, as often as an execution runs again', () => {
  expect(read('--express-again 12 --express-again=0.5 --express-again 0').expressAgainMs).toEqual([
    12_000, 500, 0,
  ]);
});

test.each([
  ['order.asl.json', 'order', 'order.asl.json'],
  ['./machines/order.json', 'order', './machines/order.json'],
  ['order.asl', 'order', 'order.asl'],
  ['order', 'order', 'order'],
  ['refund=order.json', 'refund', 'order.json'],
  ['refund=a=b.json', 'refund', 'a=b.json'],
  ['./a=b/order.json', 'order', './a=b/order.json'],
])('--definition %s is %s in %s', (value, name, file) => {
  expect(read(`--definition ${value}`).definitions).toEqual([{ name, file, type: 'STANDARD' }]);
});

test.each([
  ['--type EXPRESS', ['EXPRESS', 'EXPRESS']],
  ['--type a=EXPRESS', ['EXPRESS', 'STANDARD']],
  ['--type b=STANDARD --type EXPRESS', ['EXPRESS', 'STANDARD']],
])('%s makes a and b %j', (types, expected) => {
  const { definitions } = read(`--definition a.json --definition b.json ${types}`);
  expect(definitions.map(({ type }) => type)).toEqual(expected);
});

test.each([
  ['--region cn-north-1', 'aws-cn', 'arn:aws-cn:iam::123456789012:role/stepfunctions-emulator'],
  ['--region us-gov-west-1', 'aws-us-gov', 'arn:aws-us-gov:iam::123456789012:role/stepfunctions-emulator'],
  ['--account 111122223333', 'aws', 'arn:aws:iam::111122223333:role/stepfunctions-emulator'],
  ['--role arn:aws:iam::111122223333:role/a/b', 'aws', 'arn:aws:iam::111122223333:role/a/b'],
])('%s is in the partition %s, with the role %s', (line, partition, roleArn) => {
  expect(read(line)).toMatchObject({ partition, roleArn });
});

test('the flag of the Lambda endpoint goes before the variable', () => {
  const variable = { AWS_ENDPOINT_URL_LAMBDA: 'http://127.0.0.1:1' };
  expect(read('', variable).lambdaEndpoint).toEqual({
    url: 'http://127.0.0.1:1',
    source: 'AWS_ENDPOINT_URL_LAMBDA',
  });
  expect(read('--lambda-endpoint http://127.0.0.1:2', variable).lambdaEndpoint).toEqual({
    url: 'http://127.0.0.1:2',
    source: '--lambda-endpoint',
  });
  expect(read('', { AWS_ENDPOINT_URL_LAMBDA: '' }).lambdaEndpoint).toBeUndefined();
});

test.each([
  [
    '--express-again soon',
    /^--express-again: expected seconds from 0 to 86400, such as 12 or 0\.5, got "soon"$/,
  ],
  ['--express-again=-1', /^--express-again: expected seconds from 0 to 86400/],
  ['--express-again 86401', /^--express-again: expected seconds from 0 to 86400/],
  ['--express-again 1e3', /^--express-again: expected seconds/],
  ['--express-again', /^--express-again: expected a value, got nothing; write --express-again SECONDS$/],
  ['--nope', /^--nope: expected one of --definition, .*--version; see --help$/],
  ['-p 1', /^-p: expected one of/],
  ['a.json', /^expected flags, got "a\.json"; for a definition write --definition a\.json$/],
  ['--port', /^--port: expected a value, got nothing; write --port N$/],
  [
    '--port --watch',
    /^--port: expected a value, got the flag "--watch"; write --port=--watch if it is meant$/,
  ],
  ['--port 65536', /^--port: expected a whole number from 0 to 65535, got "65536"$/],
  ['--port -1', /^--port: expected a whole number from 0 to 65535, got "-1"$/],
  ['--port 1.5', /^--port: expected a whole number/],
  ['--port 1 --port 2', /^--port: expected once, got it twice; leave one out$/],
  ['--watch=yes', /^--watch: expected no value, got "yes"; write --watch alone$/],
  ['--region Frankfurt', /^--region: expected a region, got "Frankfurt"$/],
  ['--account 12', /^--account: expected 12 digits, got "12"$/],
  ['--role admin', /^--role: expected the ARN of an IAM role, got "admin"$/],
  [
    '--definition a.json --definition b/a.json',
    /different names, got "a" twice; write --definition NAME=FILE$/,
  ],
  ['--definition a*.json', /got "a\*\.json"; write --definition NAME=FILE$/],
  ['--type FAST', /^--type: expected STANDARD or EXPRESS, or NAME=EXPRESS, got "FAST"$/],
  ['--definition a.json --type b=EXPRESS', /^--type: expected the name of a state machine \(a\), got "b"$/],
  ['--type a=EXPRESS', /\(none, since there is no --definition\), got "a"$/],
  ['--definition a.json --type a=EXPRESS --type a=STANDARD', /^--type: expected one type for a, got several/],
  ['--type EXPRESS --type STANDARD', /^--type: expected one type for all state machines, got several/],
])('%s is refused', (line, message) => {
  expect(() => read(line)).toThrow(UsageError);
  expect(() => read(line)).toThrow(message);
});

test('the help has each flag on a line', () => {
  const lines = describeFlags().split('\n');
  expect(lines.map(line => /^ {2}(--[a-z-]+)/.exec(line)?.[1])).toEqual([
    '--definition',
    '--type',
    '--port',
    '--functions',
    '--lambda-endpoint',
    '--watch',
    '--virtual-clock',
    '--express-again',
    '--region',
    '--account',
    '--role',
    '--help',
    '--version',
  ]);
});
