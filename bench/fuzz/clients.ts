import { Readable } from 'node:stream';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { createDocuments, type Documents } from '../../functions/table/dynamodb.ts';
import type { Network } from './network.ts';
import type { Invocation, SdkOptions, SdkRequest, SdkResponse } from './sdk.ts';

/** The AWS SDK's clients, as the functions create them. Each call of a function uses them exclusively. */
export interface Clients {
  /** @param attempts attempts per command, as many as in the function's own runtime */
  documents(attempts: number, invocation: Invocation): Documents;
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
  const documents = await made;
  handle = (request, options) => network.handle(request, options);
  return {
    documents: (attempts, invocation) => sending(find(documents, attempts), invocation),
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
  handle = ANSWER_TO_ANYTHING;
  await Promise.all(
    [...documents.values()].map(client => client.send(new QueryCommand({ TableName: 'first' }))),
  );
  return documents;
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
