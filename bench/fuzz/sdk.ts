import { Readable } from 'node:stream';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Clock } from 'stepfunctions-emulator';
import { createDocuments, type Documents } from '../../functions/table/dynamodb.ts';

/** Keys of deletes, which a report is compared with. The first three are in answers that the function received. */
export interface Tally {
  readonly deleted: number;
  readonly notFound: number;
  readonly refused: number;
  /** Items that DynamoDB deleted, whether or not an answer said so. */
  readonly applied: number;
}

export type CallTally = Map<string, Tally>;

export const NO_DELETES: Tally = { deleted: 0, notFound: 0, refused: 0, applied: 0 };

export function addTo(tally: CallTally, table: string, more: Partial<Tally>): void {
  const known = tally.get(table) ?? NO_DELETES;
  const sum = Object.entries(known).map(([name, count]) => [name, count + (more[name as keyof Tally] ?? 0)]);
  tally.set(table, Object.fromEntries(sum));
}

/**
 * One call of a function, as the network sees it: the AWS SDK's request options name the call that sends a request. A killed call sends no
 * more requests; those in progress still take effect.
 */
export interface Invocation {
  /** Time by the network's clock, epoch milliseconds. */
  readonly killedAt: number;
  readonly tally: CallTally;
}

/** The call has ended: its process was killed, or it timed out. */
export class KilledError extends Error {
  override readonly name = 'KilledError';
}

export interface SdkRequest {
  readonly hostname: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface SdkOptions {
  readonly requestTimeout?: number;
  readonly abortSignal?: { readonly endsAt?: number };
  readonly invocation: Invocation;
}

export interface SdkResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Readable;
}

/**
 * Lets the functions use this clock during some work, for the duration of a poll and the timeout of a request. Such a timeout signal does
 * not fire; the network reads its time.
 */
export async function inVirtualTime<T>(clock: Clock, work: () => Promise<T>): Promise<T> {
  const { now } = performance;
  const { timeout } = AbortSignal;
  performance.now = () => clock.now();
  AbortSignal.timeout = ms => Object.assign(new AbortController().signal, { endsAt: clock.now() + ms });
  try {
    return await work();
  } finally {
    performance.now = now;
    AbortSignal.timeout = timeout;
  }
}

/**
 * Returns the AWS SDK's client as a call of a function has it to itself.
 * @param attempts per command, as many as in the function's own runtime
 */
export type DocumentsOf = (attempts: 1 | 2 | 3, invocation: Invocation) => Documents;

type Handle = (request: SdkRequest, options: SdkOptions) => Promise<{ response: SdkResponse }>;

const ANSWER_TO_ANYTHING: Handle = async () => ({
  response: { statusCode: 200, headers: {}, body: Readable.from([Buffer.from('{}')]) },
});

let handle = ANSWER_TO_ANYTHING;

/**
 * Makes the SDK's clients, which are then connected to a network instead of AWS. They are made once in a process, before virtual time
 * begins: a client reads its configuration files at its first request, and a virtual clock would not wait for that.
 */
export async function openClients(): Promise<(network: { readonly handle: Handle }) => DocumentsOf> {
  made ??= makeClients();
  const clients = await made;
  return network => {
    handle = (request, options) => network.handle(request, options);
    return (attempts, invocation) => {
      const client = clients[attempts];
      const send = (command: never, options?: object) =>
        client.send(command, { ...options, invocation } as never);
      return { send } as Documents;
    };
  };
}

let made: ReturnType<typeof makeClients> | undefined;

async function makeClients() {
  const clients = { 1: inProcess(1), 2: inProcess(2), 3: inProcess(3) };
  handle = ANSWER_TO_ANYTHING;
  for (const client of Object.values(clients)) await client.send(new QueryCommand({ TableName: 'first' }));
  return clients;
}

/**
 * A client with a handler in this process. Its second attempt follows immediately, because the SDK would wait by the machine's clock.
 * Requests are not signed: signatures take a tenth of the time.
 */
function inProcess(maxAttempts: number) {
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
  const signer = { sign: async (request: unknown) => request };
  Object.assign(client.config, {
    requestHandler: { handle: (...call: Parameters<Handle>) => handle(...call) },
    retryStrategy: async () => retryStrategy,
    signer: async () => signer,
  });
  return client;
}
