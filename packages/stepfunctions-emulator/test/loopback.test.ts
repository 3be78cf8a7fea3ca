import { NotLoopbackError, requireLoopback } from '../src/loopback.ts';

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
