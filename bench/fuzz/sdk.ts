import type { Readable } from 'node:stream';
import type { Clock } from 'stepfunctions-emulator';

/** Keys of deletes, which a report is compared with. The first three are in answers that the function received. */
export interface Tally {
  readonly deleted: number;
  readonly notFound: number;
  /** Keys that DynamoDB refused for good, each as often as it did. */
  readonly refused: number;
  /** Items that DynamoDB deleted, whether or not an answer said so. */
  readonly applied: number;
}

/** The deletes of a call, by table. */
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

/** The parts of an AWS SDK request that are read here. */
export interface SdkRequest {
  readonly hostname: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Options of `send` that the SDK passes on. */
export interface SdkOptions {
  /** Milliseconds. */
  readonly requestTimeout?: number;
  readonly abortSignal?: { readonly endsAt?: number };
  readonly invocation?: Invocation;
}

export interface SdkResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Readable;
}

/** Converts a body to bytes. The SDK's bodies are texts or bytes; its byte type warns when it is used as a text. */
export function bytesOf(body: string | Uint8Array = ''): Buffer {
  return typeof body === 'string'
    ? Buffer.from(body)
    : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}

/**
 * Lets the functions use this clock during some work, for the duration of a poll and the timeout of a request. Such a timeout signal does
 * not fire; the network asks for its time.
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
