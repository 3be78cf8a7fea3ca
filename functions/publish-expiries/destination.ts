import type { CallLimits, Outgoing } from './calls.ts';

/** A service that receives events. */
export interface Destination {
  readonly limits: CallLimits;
  readonly send: Send;
}

/**
 * Sends the events of one call.
 *
 * @returns the events that were refused; rejects when it is unknown whether any was accepted
 */
export type Send = (
  events: readonly Outgoing[],
  options: { readonly abortSignal: AbortSignal },
) => Promise<readonly Refusal[]>;

/** An event that a destination refused. */
export interface Refusal {
  /** Index of the event in its call. */
  readonly index: number;
  readonly why: Why;
}

/** Why a call or one of its events was refused. */
export interface Why {
  /** Name or code of the error. */
  readonly reason: string;
  readonly message?: string | undefined;
  /** Whether the reason may be the event itself, for example its size: then a repeated call is refused too. */
  readonly isForTheEvent: boolean;
}

/**
 * Names and codes of errors by which a destination refuses an event for its content, above all its size. All other errors may be
 * temporary, and are no reason to leave out an image. Sources: EventBridge, SQS, Lambda and Kinesis API references.
 */
const FOR_THE_EVENT =
  /TooLong|TooLarge|^(ValidationException|InvalidArgument|MalformedDetail|InvalidArgumentException|InvalidParameterValue(Exception)?|InvalidMessageContents)$/;

export function isForTheEvent(reason: string): boolean {
  return FOR_THE_EVENT.test(reason);
}

/** Returns why a whole call failed. */
export function whyFailed(error: unknown): Why {
  if (!(error instanceof Error)) return { reason: String(error), isForTheEvent: false };
  const { name, message } = error;
  const { httpStatusCode } = '$metadata' in error ? (error.$metadata as { httpStatusCode?: number }) : {};
  return { reason: name, message, isForTheEvent: httpStatusCode === 413 || isForTheEvent(name) };
}

/** Options of the clients of all destinations: deliver.ts makes the retries, and must not wait for a second loop in the SDK. */
export const CLIENT_OPTIONS = { maxAttempts: 1 } as const;

/** Timeouts for services that answer quickly. After a timeout the call is tried again. */
export const QUICK_REQUESTS = {
  connectionTimeout: 1_000,
  requestTimeout: 5_000,
  throwOnRequestTimeout: true,
} as const;

/** Address and credentials of a service, when they do not come from Lambda's environment. */
export interface Connection {
  readonly endpoint?: string;
  readonly region?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}
