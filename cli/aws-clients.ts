/** Only commands that ask a service load this file, and with it the SDK. */
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { PipesClient } from '@aws-sdk/client-pipes';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Documents } from '../functions/table/dynamodb.ts';
import {
  ANSWER_MS,
  type Environment,
  localEndpoint,
  NoAnswerError,
  SERVICES,
  type Service,
  silenceOf,
  untilAborted,
} from './clients.ts';

const CONNECTION_MS = 2_000;
/** The pauses between four attempts at a throttled call take 3.5 s at most, between eight a minute. */
const ATTEMPTS = { quick: 4, patient: 8 } as const;

export interface ClientOptions {
  /** A service without an endpoint on this machine refuses each call, if others have one. */
  readonly services: readonly Service[];
  readonly region: string | undefined;
  readonly signal: () => AbortSignal;
  /** Whether a person waits for the answer: then a call without an answer is tried twice. */
  readonly quick: boolean;
  readonly environment?: Environment;
}

export type Clients = ReturnType<typeof clientsOf>;

export function clientsOf(options: ClientOptions) {
  const dynamoDb = bound(DynamoDBClient, 'DYNAMODB', options);
  const clients = {
    dynamoDb,
    sfn: bound(SFNClient, 'SFN', options),
    cloudWatch: bound(CloudWatchClient, 'CLOUDWATCH', options),
    scheduler: bound(SchedulerClient, 'SCHEDULER', options),
    sns: bound(SNSClient, 'SNS', options),
    sqs: bound(SQSClient, 'SQS', options),
    pipes: bound(PipesClient, 'PIPES', options),
    lambda: bound(LambdaClient, 'LAMBDA', options),
  };
  const documents: Documents = DynamoDBDocumentClient.from(dynamoDb, {
    unmarshallOptions: { wrapNumbers: true },
  });
  return {
    ...{ ...clients, documents },
    destroy: () => Object.values(clients).forEach(client => void client.destroy()),
  };
}

type Step = (next: (args: object) => Promise<object>, context: object) => (args: object) => Promise<object>;
type Constructor<Client> = new (
  config: object,
) => Client & { readonly middlewareStack: { add(step: Step, options: object): void } };

function bound<Client>(
  made: new (config: never) => Client,
  service: Service,
  options: ClientOptions,
): Client {
  const { services, region, signal, quick, environment = process.env } = options;
  const local = localEndpoint(service, environment);
  const isHere = services.some(each => localEndpoint(each, environment) !== undefined);
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = environment;
  const client = new (made as unknown as Constructor<Client>)({
    ...(region !== undefined && { region }),
    maxAttempts: ATTEMPTS[quick ? 'quick' : 'patient'],
    // Without socketTimeout a call would wait for ever for the rest of an answer.
    requestHandler: {
      connectionTimeout: CONNECTION_MS,
      requestTimeout: ANSWER_MS,
      socketTimeout: ANSWER_MS,
      throwOnRequestTimeout: true,
    },
    ...(local && {
      endpoint: local.url,
      ...{ disableHostPrefix: true, useQueueUrlAsEndpoint: false },
      // Credentials are not looked for: DynamoDB Local may keep the tables of each access key apart.
      credentials:
        accessKeyId && secretAccessKey
          ? { accessKeyId, secretAccessKey }
          : { accessKeyId: 'local', secretAccessKey: 'local' },
    }),
  });
  const silences = new WeakMap<object, number>();
  const call: Step = next => async args => {
    // The real account's answer about a deployment on this machine would be false.
    if (isHere && !local) throw new NoAnswerError(`${SERVICES[service]} is not on this machine`);
    return untilAborted(signal(), () => next(args));
  };
  // A retry would keep the process running: so each attempt is bounded.
  const attempt: Step = (next, context) => async args => {
    try {
      return await untilAborted(signal(), () => next(args));
    } catch (error) {
      const silence = silenceOf(error as Error, service);
      if (silence === undefined || !(quick || local)) throw error;
      silences.set(context, (silences.get(context) ?? 0) + 1);
      // The SDK would not repeat a call after a NoAnswerError, which it does not know: so the first silence is thrown unchanged.
      throw silences.get(context) === 2 ? new NoAnswerError(silence) : error;
    }
  };
  client.middlewareStack.add(call, { step: 'initialize', name: 'boundCall' });
  // This step comes before the SDK's own step, which reads the answer: an answer may stop in its middle.
  client.middlewareStack.add(attempt, { step: 'deserialize', priority: 'high', name: 'boundAttempt' });
  return client;
}
