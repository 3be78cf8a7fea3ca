import type { DeploymentConfig } from '../config/config.ts';
import type { Credentials } from './aws/client-config.ts';
import type { Environment } from './aws/endpoint.ts';

/** Each function of this room takes these. */
export interface OperateOptions {
  /** The export of `precise-ttl.config.ts`. */
  readonly config: DeploymentConfig;
  /** One table of the configuration. @default all of them, or the only one where the function is for one */
  readonly table?: string | undefined;
  /** Ends the work; the function then throws the signal's reason. @default nothing does */
  readonly signal?: AbortSignal;
  /** Epoch milliseconds. @default the time itself */
  readonly now?: () => number;
  /** @default as the AWS SDK finds them */
  readonly credentials?: Credentials;
  /** Variables that name endpoints, as `AWS_ENDPOINT_URL_DYNAMODB`. @default process.env */
  readonly environment?: Environment;
}

/** How far some work is. */
export interface WorkDone {
  /** The part of it that is next: a table, a date, an hour. */
  readonly at: string;
  readonly done: number;
  readonly total: number;
}

/** A signal that nobody aborts. */
export const NEVER: AbortSignal = new AbortController().signal;
