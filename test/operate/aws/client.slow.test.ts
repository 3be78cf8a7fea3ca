import { DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { awsClient, type ClientOptions } from '../../../operate/aws/clients.ts';
import { NoAnswerError } from '../../../operate/aws/errors.ts';
import { TimeLimit } from '../../../operate/time-limit.ts';
import { failing, hanging, refusing, type SilentServer, stalling } from '../../support/silent-servers.ts';

const QUERY = new QueryCommand({
  TableName: 'T',
  KeyConditionExpression: 'id = :id',
  ExpressionAttributeValues: { ':id': { S: '1' } },
});

/** The error of a client's call to such a server. */
async function meet(
  made: Promise<SilentServer>,
  options: ClientOptions,
): Promise<{ error: Error; asked: number }> {
  const server = await made;
  const environment = { AWS_ENDPOINT_URL_DYNAMODB: server.endpoint };
  const client = awsClient(
    config => new DynamoDBClient(config),
    'DYNAMODB',
    'us-east-1',
    environment,
    options,
  );
  try {
    await client.send(QUERY);
    throw new Error('it was answered');
  } catch (error) {
    return { error: error as Error, asked: server.asked() };
  } finally {
    client.destroy();
    server.stop();
  }
}

// Each waits for its five seconds beside the others.
test.concurrent.each<[string, () => Promise<SilentServer>, RegExp, string]>([
  [
    'hangs',
    hanging,
    /got no answer in 5 s; start npx precise-ttl local/,
    'DynamoDB timed out: no answer in 5 s',
  ],
  [
    'stops in the middle of its answer',
    stalling,
    /got no answer in 5 s/,
    'DynamoDB timed out: no answer in 5 s',
  ],
  ['is not there', refusing, /got ECONNREFUSED; start/, 'DynamoDB refused the connection (ECONNREFUSED)'],
])('a service that %s is given up by name after two attempts', async (_what, make, message, reason) => {
  const { error, asked } = await meet(make(), { quick: true });
  expect(error).toBeInstanceOf(NoAnswerError);
  expect([error.message, (error as NoAnswerError).reason]).toEqual([expect.stringMatching(message), reason]);
  expect(error.message).toMatch(/^AWS_ENDPOINT_URL_DYNAMODB: expected DynamoDB at http:/);
  expect(asked).toBeLessThanOrEqual(2);
});

test('throttling is an answer, and keeps its name', async () => {
  const { error } = await meet(failing('ThrottlingException'), { quick: true });
  expect(error).not.toBeInstanceOf(NoAnswerError);
  expect(error.name).toBe('ThrottlingException');
});

test.concurrent('when the time of the command is over, a call says so, and what it had met by then', async () => {
  const over = async (make: () => Promise<SilentServer>, seconds: number) => {
    const limit = new TimeLimit(seconds);
    limit.start();
    const { error } = await meet(make(), { quick: true, limit });
    limit.stop();
    return (error as NoAnswerError).reason;
  };
  expect(await Promise.all([over(hanging, 1), over(hanging, 7)])).toEqual([
    'DynamoDB had not answered when the 1 s of the command were over',
    'DynamoDB timed out: no answer in 5 s, and then the 7 s of the command were over',
  ]);
});
