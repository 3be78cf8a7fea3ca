import { PreciseTtlError } from '../../expiry/errors.ts';
import { commandLine } from '../command-line.ts';
import { MissingPermissionError } from '../errors.ts';
import { type ConfiguredEndpoint, SERVICES, type Service } from './endpoint.ts';

/** Timeouts of one attempt, milliseconds: much longer than AWS needs, but short for a waiting user. */
export const CONNECTION_MS = 2_000;
export const ANSWER_MS = 5_000;

/**
 * How a service failed to answer: an operator mends the three kinds in different places. Throttling is not among them, because it
 * is an answer.
 */
export type Silence =
  /** A call got no connection, or no answer, in time. */
  | { readonly kind: 'timed out'; readonly seconds: number }
  /** The connection was refused or cut, with the system's code, such as `ECONNREFUSED`. */
  | { readonly kind: 'refused'; readonly code: string }
  /** The command's time limit was over; `last` is the failure that the call had met before, if any. */
  | {
      readonly kind: 'out of time';
      readonly seconds: number;
      readonly last: 'throttled' | Silence | undefined;
    };

/** A service that was asked did not answer. */
export class NoAnswerError extends PreciseTtlError {
  override readonly name = 'NoAnswerError';
  readonly service: Service;
  readonly silence: Silence;
  /** The reason in words, for a line about one of many things: `DynamoDB refused the connection (ECONNREFUSED)`. */
  readonly reason: string;

  /** @param local the endpoint on this machine that was called, if it was one */
  constructor(service: Service, silence: Silence, local: ConfiguredEndpoint | undefined) {
    const { title } = SERVICES[service];
    const got = gotOf(silence);
    const mend =
      local === undefined
        ? 'check the network, the region and that the endpoint is right and reachable, or ask again later'
        : `start ${commandLine('local')} in another terminal, or unset ${local.name} for AWS`;
    super(
      local === undefined
        ? `${title}: expected an answer, got ${got}; ${mend}`
        : `${local.name}: expected ${title} at ${local.value}, got ${got}; ${mend}`,
    );
    this.service = service;
    this.silence = silence;
    this.reason = `${title} ${reasonOf(silence)}`;
  }

  /** Whether the service certainly failed, and not only the time of the command ran out. */
  get isDead(): boolean {
    const { silence } = this;
    return silence.kind === 'out of time' ? typeof silence.last === 'object' : true;
  }
}

function gotOf(silence: Silence): string {
  switch (silence.kind) {
    case 'timed out':
      return `no answer in ${silence.seconds} s`;
    case 'refused':
      return silence.code;
    case 'out of time':
      return `${silence.last === 'throttled' ? 'throttled' : 'no answer'} until the ${silence.seconds} s of the command were over`;
  }
}

function reasonOf(silence: Silence): string {
  switch (silence.kind) {
    case 'timed out':
      return `timed out: no answer in ${silence.seconds} s`;
    case 'refused':
      return silence.code === 'ECONNREFUSED'
        ? 'refused the connection (ECONNREFUSED)'
        : `could not be reached (${silence.code})`;
    case 'out of time': {
      const over = `the ${silence.seconds} s of the command were over`;
      if (silence.last === 'throttled') return `throttled the calls until ${over}`;
      return silence.last === undefined
        ? `had not answered when ${over}`
        : `${reasonOf(silence.last)}, and then ${over}`;
    }
  }
}

/** Codes of the system for a refused or cut connection. */
const REFUSED: ReadonlySet<string> = new Set([
  'EADDRNOTAVAIL',
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
]);

/** How a service failed to answer, derived from the error; undefined if the error is an answer or a bug of ours. */
export function silenceOf(error: unknown): Silence | undefined {
  if (error instanceof NoAnswerError) return error.silence;
  const { name, code } = (error ?? {}) as { readonly name?: unknown; readonly code?: unknown };
  if (name === 'TimeoutError' || code === 'ETIMEDOUT') {
    return { kind: 'timed out', seconds: ANSWER_MS / 1000 };
  }
  return typeof code === 'string' && REFUSED.has(code) ? { kind: 'refused', code } : undefined;
}

/** Codes for throttling, of all services that commands call. */
const THROTTLED: ReadonlySet<string> = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'SlowDown',
  'Throttling',
  'ThrottlingException',
  'ThrottledException',
  'TooManyRequestsException',
]);

/** Whether a service throttled a call. That is an answer: the service works. */
export function isThrottled(error: unknown): boolean {
  return error instanceof Error && THROTTLED.has(error.name);
}

/** Names of the error for a missing permission, in DynamoDB and in CloudWatch's protocols. */
const DENIED = ['AccessDeniedException', 'AccessDenied', 'AccessDeniedFault'];

/**
 * Makes a call, and names the missing permission if it is denied.
 *
 * @param action name in IAM: `dynamodb:DescribeTable`
 * @param resource ARN of the resource, or `*`
 * @throws {MissingPermissionError}; every other error unchanged
 */
export async function permitted<Result>(
  action: string,
  resource: string,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Error && DENIED.includes(error.name)) {
      throw new MissingPermissionError(action, resource, error.message);
    }
    throw error;
  }
}

/**
 * Describes an error of the SDK on one line; undefined for a bug of ours.
 *
 * @param local the endpoint on this machine that was called, if it was one
 */
export function describeSdkError(
  error: unknown,
  local: ConfiguredEndpoint | undefined,
  service: Service = 'SFN',
): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { title } = SERVICES[service];
  if (error.name === 'CredentialsProviderError') {
    return (
      `AWS credentials: expected some for the account that is deployed to, got none (${error.message}); set ` +
      `AWS_PROFILE or log in, or AWS_ENDPOINT_URL_${service} for the local ${title}`
    );
  }
  // The error may also come from the body of an object that ends in the middle.
  const silence = silenceOf(error);
  if (silence !== undefined) return new NoAnswerError(service, silence, local).message;
  if (isThrottled(error)) {
    return `${title}: expected an answer, got ${error.name}: the account's rate of such calls is used up; run it again later`;
  }
  if ('$metadata' in error) return `${title}: ${error.name}: ${error.message}`;
  return undefined;
}
