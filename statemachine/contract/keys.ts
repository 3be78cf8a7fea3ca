import type { Seconds } from '../times.ts';

/** A value of a key attribute in DynamoDB's JSON. Bytes (`B`) are base64. */
export type KeyAttribute = { readonly S: string } | { readonly N: string } | { readonly B: string };

export type ItemKey = Readonly<Record<string, KeyAttribute>>;

export interface ExpiredKey {
  readonly key: ItemKey;
  readonly ttl: Seconds;
}

export interface FailedKey {
  readonly key: ItemKey;
  /** The error's name, e.g. `ValidationError`; or `Unprocessed` if the child's time was over before the key was deleted. */
  readonly reason: string;
}

export type KeyHash = `hmac-sha256:${string}`;

export type ShownKey = ItemKey | KeyHash;

export interface ListedFailure {
  /** Missing if `logKeys` is 'none', or if the key is too long for the report: `keyStart` then has the beginning of the key's JSON. */
  readonly key?: ShownKey;
  readonly keyStart?: string;
  readonly reason: string;
}
