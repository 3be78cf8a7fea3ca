import type { DeploymentConfig } from '../config/config.ts';
import type { Environment } from './aws/endpoint.ts';

/** Options that every function which looks at a deployment or changes it has. */
export interface OperateOptions {
  /** The export of `precise-ttl.config.ts`. */
  readonly config: DeploymentConfig;
  /** One table of the configuration. @default all of them; for a function on one table, the only one */
  readonly table?: string | undefined;
  /** Aborts the work; the function then throws the signal's reason. @default it cannot be aborted */
  readonly signal?: AbortSignal;
  /** Epoch milliseconds. @default the real clock */
  readonly now?: () => number;
  /** Variables that name endpoints, such as `AWS_ENDPOINT_URL_DYNAMODB`. @default process.env */
  readonly environment?: Environment;
}

/** A signal that never aborts. */
export const NEVER: AbortSignal = new AbortController().signal;

/** A prepared change: everything that it needs was read, and nothing is changed yet. */
export interface Prepared<Facts, Result> {
  /** Facts that were read. */
  readonly facts: Facts;
  /** Makes the change. */
  readonly apply: () => Promise<Result>;
}

/** The progress of a scan. */
export interface ScanProgress {
  readonly items: number;
  readonly readUnits: number;
  /** Number of pages that DynamoDB throttled and that were read later. */
  readonly throttled: number;
}
