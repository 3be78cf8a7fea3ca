import type { CallLimits, Outgoing } from './calls.ts';

/** Where events go. */
export interface Destination {
  readonly limits: CallLimits;
  readonly send: Send;
}

/**
 * Sends the events of one call.
 *
 * @returns those that were not taken; rejects when none is known to be
 */
export type Send = (
  events: readonly Outgoing[],
  options: { readonly abortSignal: AbortSignal },
) => Promise<readonly Refusal[]>;

/** An event that a destination did not take. */
export interface Refusal {
  /** Place of the event in its call. */
  readonly index: number;
  readonly why: Why;
}

/** Why a call or one of its events was refused. */
export interface Why {
  /** An error's name or code. */
  readonly reason: string;
  readonly message?: string | undefined;
  /** It may be the event that is wrong, such as too large: the same one will be refused again. */
  readonly isForTheEvent: boolean;
}

/**
 * Names and codes of errors by which a destination refuses what an event is like, above all its size. All others may be over a moment
 * later, and cost no event its image. Sources: EventBridge, SQS, Lambda and Kinesis API references.
 */
const FOR_THE_EVENT =
  /TooLong|TooLarge|^(ValidationException|InvalidArgument|MalformedDetail|InvalidArgumentException|InvalidParameterValue(Exception)?|InvalidMessageContents)$/;

export function isForTheEvent(reason: string): boolean {
  return FOR_THE_EVENT.test(reason);
}

/** Why a whole call failed. */
export function whyFailed(error: unknown): Why {
  if (!(error instanceof Error)) return { reason: String(error), isForTheEvent: false };
  const { name, message } = error;
  const { httpStatusCode } = '$metadata' in error ? (error.$metadata as { httpStatusCode?: number }) : {};
  return { reason: name, message, isForTheEvent: httpStatusCode === 413 || isForTheEvent(name) };
}

/** Options of the clients of all destinations: deliver.ts tries again, and must not wait behind a second loop of the SDK's. */
export const CLIENT_OPTIONS = { maxAttempts: 1 } as const;

/** For services that answer at once. One that does not is tried again. */
export const QUICK_REQUESTS = {
  connectionTimeout: 1_000,
  requestTimeout: 5_000,
  throwOnRequestTimeout: true,
} as const;

/** Where a client finds its service, when it is not Lambda's environment that says it. */
export interface Connection {
  readonly endpoint?: string;
  readonly region?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}
