import { LambdaEndpoint } from 'stepfunctions-emulator';
import { LocalFunctions } from '../../../local/functions/local-functions.ts';
import { useFakeLambda } from '../../../stepfunctions-emulator/test/support/fake-lambda.ts';

const lambda = useFakeLambda(() => ({ body: '{"a":1}' }));

test('functions that were not synthesized are invoked there, or the error says how', async () => {
  const dynamoDbEndpoint = 'http://127.0.0.1:8000';
  const arn = 'arn:aws:lambda:us-east-1:123456789012:function:echo';
  const connected = new LocalFunctions([], {
    dynamoDbEndpoint,
    others: new LambdaEndpoint(lambda.endpoint),
  });
  expect(await connected.invoke(arn, {})).toMatchObject({ ok: true, payload: { a: 1 } });
  const alone = new LocalFunctions([], { dynamoDbEndpoint });
  expect(await alone.invoke(arn, {})).toMatchObject({
    errorType: 'Lambda.ResourceNotFoundException',
    errorMessage: expect.stringContaining('Set AWS_ENDPOINT_URL_LAMBDA'),
  });
  await Promise.all([connected.stop(), alone.stop()]);
});
