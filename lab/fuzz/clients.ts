import { Readable } from 'node:stream';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { createS3, putInto } from '../../functions/archive/s3.ts';
import { consumerFunction } from '../../functions/publish-expiries/consumer-function.ts';
import { dataStream } from '../../functions/publish-expiries/data-stream.ts';
import type { Connection, Destination } from '../../functions/publish-expiries/destination.ts';
import type { DestinationName } from '../../functions/publish-expiries/destinations.ts';
import { eventBus } from '../../functions/publish-expiries/event-bus.ts';
import { queue } from '../../functions/publish-expiries/queue.ts';
import { createDocuments, type Documents } from '../../functions/table/dynamodb.ts';
import type { Network } from './network.ts';
import type { Invocation, SdkOptions, SdkRequest, SdkResponse } from './sdk.ts';

/** The AWS SDK's clients, as the functions create them. Each call of a function uses them exclusively. */
export interface Clients {
  /** @param attempts attempts per command, as many as in the function's own runtime */
  documents(attempts: number, invocation: Invocation): Documents;
  s3(attempts: number, invocation: Invocation): Pick<ReturnType<typeof createS3>, 'send'>;
  destination(name: DestinationName, invocation: Invocation): Destination;
}

const CONNECTION = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'fuzz', secretAccessKey: 'fuzz' },
};

type Handle = (request: SdkRequest, options: SdkOptions) => Promise<{ response: SdkResponse }>;

const ANSWER_TO_ANYTHING: Handle = async () => ({
  response: { statusCode: 200, headers: {}, body: Readable.from([Buffer.from('{}')]) },
});

let handle = ANSWER_TO_ANYTHING;
const requestHandler = { handle: (...call: Parameters<Handle>) => handle(...call) };

/**
 * Connects the SDK's clients to this network instead of AWS. They are created once in a process: a client reads its configuration files at
 * its first request, and a virtual clock would not wait for that.
 */
export async function clientsOn(network: Network): Promise<Clients> {
  made ??= makeClients();
  const { documents, s3, destinations } = await made;
  handle = (request, options) => network.handle(request, options);
  return {
    documents: (attempts, invocation) => sending(find(documents, attempts), invocation),
    s3: (attempts, invocation) => sending(find(s3, attempts), invocation),
    destination: (name, invocation) => {
      const { limits, send } = destinations[name];
      return {
        limits,
        send: (events, options) => send(events, { ...options, invocation } as typeof options),
      };
    },
  };
}

let made: ReturnType<typeof makeClients> | undefined;

async function makeClients() {
  const attempts = [1, 2, 3];
  const documents = new Map(
    attempts.map(maxAttempts => [
      maxAttempts,
      inProcess(createDocuments({ maxAttempts }, CONNECTION), maxAttempts),
    ]),
  );
  const s3 = new Map(
    attempts.map(maxAttempts => {
      const client = createS3(
        { maxAttempts, requestTimeoutMs: 5_000 },
        { ...CONNECTION, endpoint: 'http://s3.invalid' },
      );
      return [maxAttempts, inProcess(client, maxAttempts)];
    }),
  );
  const connection = { ...CONNECTION, requestHandler } as Connection;
  const destinations: Readonly<Record<DestinationName, Destination>> = {
    eventBus: eventBus('bus', connection),
    queueArn: queue('https://sqs.us-east-1.amazonaws.com/123456789012/expired.fifo', connection),
    streamArn: dataStream('arn:aws:kinesis:us-east-1:123456789012:stream/expired', connection),
    functionArn: consumerFunction('arn:aws:lambda:us-east-1:123456789012:function:worker', connection),
  };
  handle = ANSWER_TO_ANYTHING;
  const reads = [...documents.values()].map(client => client.send(new QueryCommand({ TableName: 'first' })));
  const puts = [...s3.values()].map(client =>
    putInto('first', client)({ key: 'first', body: Buffer.alloc(0) }),
  );
  const sends = Object.values(destinations).map(({ send }) =>
    send([{ id: 'first', key: 'first', text: '{}' }], { abortSignal: new AbortController().signal }),
  );
  await Promise.all([...reads, ...puts, ...sends]);
  return { documents, s3, destinations };
}

/**
 * Replaces the client's handler by one in this process. Its second attempt follows immediately, because the SDK would wait by the
 * machine's clock. Requests are not signed: signatures take a tenth of the time.
 */
function inProcess<Client extends { readonly config: object }>(client: Client, maxAttempts: number): Client {
  const token = (count: number) => ({ getRetryCount: () => count, getRetryDelay: () => 0 });
  const retryStrategy = {
    acquireInitialRetryToken: async () => token(0),
    refreshRetryTokenForRetry: async (
      { getRetryCount }: ReturnType<typeof token>,
      { errorType }: { readonly errorType: string },
    ) => {
      const isForGood = errorType === 'CLIENT_ERROR' || getRetryCount() + 1 >= maxAttempts;
      if (isForGood) throw new Error('no further attempt');
      return token(getRetryCount() + 1);
    },
    recordSuccess: () => undefined,
  };
  const signer = { sign: async (request: unknown) => request };
  Object.assign(client.config, {
    requestHandler,
    retryStrategy: async () => retryStrategy,
    signer: async () => signer,
  });
  return client;
}

function sending<Client extends { send: (...args: never[]) => unknown }>(
  client: Client,
  invocation: Invocation,
): Client {
  const send = (command: never, options?: object) =>
    client.send(command, { ...options, invocation } as never);
  return { send } as unknown as Client;
}

function find<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): Value {
  const value = map.get(key);
  if (value === undefined) throw new TypeError(`expected a client for ${key}, got none; make one`);
  return value;
}
