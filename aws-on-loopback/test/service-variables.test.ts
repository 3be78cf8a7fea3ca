import { NotLoopbackError } from 'stepfunctions-emulator';
import { serviceVariables, withLocalNames } from '../src/service-variables.ts';

test('what is not run here is nowhere, and leaves this machine by no way', () => {
  expect(serviceVariables({ s3: 'http://127.0.0.1:8086/' })).toEqual({
    AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
    AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:8086',
  });
  expect(serviceVariables()).toEqual({ AWS_ENDPOINT_URL: 'http://127.0.0.1:9' });
});

test.each([
  [{ s3: 'https://s3.amazonaws.com' }, 'AWS_ENDPOINT_URL_S3'],
  [{ sqs: 'http://10.0.0.1:1' }, 'AWS_ENDPOINT_URL_SQS'],
  [{ eventBridge: 'http://example.com' }, 'AWS_ENDPOINT_URL_EVENTBRIDGE'],
  [{ lambda: 'x' }, 'AWS_ENDPOINT_URL_LAMBDA'],
])('fails for %j', (endpoints, variable) => {
  expect(() => serviceVariables(endpoints)).toThrow(NotLoopbackError);
  expect(() => serviceVariables(endpoints)).toThrow(variable);
});

test.each([
  ['https://sqs.eu-central-1.amazonaws.com/999999999999/q', 'http://127.0.0.1:1/123456789012/q'],
  ['https://sqs.cn-north-1.amazonaws.com.cn/999999999999/q.fifo', 'http://127.0.0.1:1/123456789012/q.fifo'],
  ['http://127.0.0.1:7/123456789012/q', 'http://127.0.0.1:7/123456789012/q'],
  ['arn:aws:events:eu-central-1:999999999999:event-bus/team/orders', 'team/orders'],
  ['arn:aws:sqs:eu-central-1:999999999999:q', 'arn:aws:sqs:eu-central-1:999999999999:q'],
  ['default', 'default'],
])('%s is called %s here', (given, expected) => {
  expect(withLocalNames({ A: given }, 'http://127.0.0.1:1')).toEqual({ A: expected });
});

test('without an SQS a queue is nowhere', () => {
  const given = { A: 'https://sqs.eu-central-1.amazonaws.com/999999999999/q' };
  expect(withLocalNames(given, undefined)).toEqual({ A: 'http://127.0.0.1:9/123456789012/q' });
});
