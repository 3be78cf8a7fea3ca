import { readableLine } from '../../../cli/local/failure.ts';

const line = (value: unknown) => readableLine(JSON.stringify(value));

test.each([
  ['plain text', 'hello  there', 'hello  there'],
  ['what only looks like JSON', '{not json', '{not json'],
  ['JSON that is no log line', '{"a":1}', '{"a":1}'],
  ['an empty line', '', ''],
  ['a text that is too long', 'x'.repeat(500), `${'x'.repeat(400)}…`],
])('%s stays as it is', (_name, text, expected) => {
  expect(readableLine(text)).toBe(expected);
});

test('of a line of the Powertools: level, message and what it adds', () => {
  const envelope = {
    timestamp: '2026-11-21T09:00:00.000Z',
    service: 'precise-ttl',
    sampling_rate: '0',
    xray_trace_id: '1-2-3',
    function_name: 'f',
    cold_start: true,
  };
  const printed = {
    ...envelope,
    level: 'INFO',
    message: 'swept',
    found: 3,
    mode: 'guarded',
    keys: [{ id: 'a' }],
  };
  expect(line(printed)).toBe('INFO    swept  found=3 mode=guarded keys=[{"id":"a"}]');
  expect(line({ level: 'warn', message: 'alone' })).toBe('WARN    alone');
});

test('of what console prints with JSON logging: the message, also when it is an object', () => {
  const printed = { timestamp: '2026-11-21T09:00:00.000Z', level: 'ERROR', requestId: 'r' };
  expect(line({ ...printed, message: 'no good' })).toBe('ERROR   no good');
  expect(line({ ...printed, message: { a: [1] } })).toBe('ERROR   {"a":[1]}');
});

test('of an error its name and message, not its stack', () => {
  const error = {
    name: 'TypeError',
    message: 'x is not a function',
    stack: 'TypeError: …\n at y',
    location: 'z',
  };
  expect(line({ level: 'ERROR', message: 'failed', error })).toBe(
    'ERROR   failed  error=TypeError: x is not a function',
  );
});

test('of embedded metrics their values', () => {
  const _aws = {
    CloudWatchMetrics: [{ Namespace: 'N', Metrics: [{ Name: 'ItemsFound' }, { Name: 'Lag' }] }],
  };
  expect(line({ _aws, TableName: 'T', ItemsFound: 3, Lag: { Values: [1] } })).toBe(
    'METRIC  ItemsFound=3 Lag={"Values":[1]}',
  );
  expect(line({ _aws: {}, a: 1 })).toBe('METRIC');
});

test('what is long is cut: a value, and all of them together', () => {
  const long = line({ level: 'INFO', message: 'm', a: 'x'.repeat(100), b: 1 });
  expect(long).toBe(`INFO    m  a=${'x'.repeat(60)}… b=1`);
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`field${index}`, index]));
  expect(line({ level: 'INFO', message: 'm', ...many }).length).toBe('INFO    m  '.length + 161);
});
