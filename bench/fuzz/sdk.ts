import { Readable } from 'node:stream';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Clock } from 'stepfunctions-emulator';
import { createDocuments, type Documents } from '../../functions/table/dynamodb.ts';

/** Numbers of keys, to compare with an execution's report. `deleted`, `notFound`, `refused`: keys in responses that the client received. */
export interface Tally {
  readonly deleted: number;
  readonly notFound: number;
  readonly refused: number;
  /** Items that DynamoDB deleted, even if the client received no response. */
  readonly applied: number;
}

export type CallTally = Map<string, Tally>;

export const NO_DELETES: Tally = { deleted: 0, notFound: 0, refused: 0, applied: 0 };

export function addTo(tally: CallTally, table: string, more: Partial<Tally>): void {
  const known = tally.get(table) ?? NO_DELETES;
  const sum = Object.entries(known).map(([name, count]) => [name, count + (more[name as keyof Tally] ?? 0)]);
  tally.set(table, Object.fromEntries(sum));
}

/** One call of a function. After `killedAt` the call sends no more requests, but requests that were sent earlier still change the table. */
export interface Invocation {
  /** Time at which the call is killed, by the simulated network's clock, epoch milliseconds. */
  readonly killedAt: number;
  readonly tally: CallTally;
}

export interface SdkRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

interface SdkOptions {
  readonly requestTimeout?: number;
  readonly abortSignal?: { readonly endsAt?: number };
  readonly invocation: Invocation;
}

export type Handle = (request: SdkRequest, options: SdkOptions) => Promise<{ response: object }>;

/** Runs `work`. Meanwhile, `performance.now` and `AbortSignal.timeout` use `clock`. */
export async function inVirtualTime<T>(clock: Clock, work: () => Promise<T>): Promise<T> {
  const { now } = performance;
  const { timeout } = AbortSignal;
  performance.now = () => clock.now();
  // The signal never fires: the simulated network (network.ts) reads `endsAt` from it, and ends the request at this time.
  AbortSignal.timeout = ms => Object.assign(new AbortController().signal, { endsAt: clock.now() + ms });
  try {
    return await work();
  } finally {
    performance.now = now;
    AbortSignal.timeout = timeout;
  }
}

/**
 * Returns the AWS SDK's client for a call of a function.
 * @param attempts maximum number of attempts for each command, as in the function's real runtime
 */
export type DocumentsOf = (attempts: 1 | 2 | 3, invocation: Invocation) => Documents;

/**
 * Makes the SDK's clients, and sends a first request by each: at its first request a client reads configuration files. Call this before
 * virtual time begins, because a virtual clock does not wait for files.
 */
export async function openClients(): Promise<(network: Handle) => DocumentsOf> {
  let handle: Handle = async () => ({
    response: { statusCode: 200, headers: {}, body: Readable.from([Buffer.from('{}')]) },
  });
  const current: Handle = (...call) => handle(...call);
  const clients = { 1: inProcess(1, current), 2: inProcess(2, current), 3: inProcess(3, current) };
  for (const client of Object.values(clients)) await client.send(new QueryCommand({ TableName: 'first' }));
  return network => {
    handle = network;
    return (attempts, invocation) => {
      const send = (command: never, options?: object) =>
        clients[attempts].send(command, { ...options, invocation } as never);
      return { send } as Documents;
    };
  };
}

/**
 * Makes a client whose requests go to `handle`. A retry follows immediately: the SDK's own delay would be in real time, but the run has a
 * virtual clock.
 */
function inProcess(maxAttempts: number, handle: Handle) {
  const credentials = { accessKeyId: 'fuzz', secretAccessKey: 'fuzz' };
  const client = createDocuments({ maxAttempts }, { region: 'us-east-1', credentials });
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
  // Requests are not signed: signing would take a tenth of the run's time.
  const signer = { sign: async (request: unknown) => request };
  Object.assign(client.config, {
    requestHandler: { handle },
    retryStrategy: async () => retryStrategy,
    // From the responses' virtual dates, the SDK would conclude that this computer's clock is wrong, and repeat failed requests.
    disableClockSkewCorrection: async () => true,
    signer: async () => signer,
  });
  return client;
}
