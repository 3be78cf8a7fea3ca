import type { Seconds } from '../times.ts';

/** A value of a key attribute in DynamoDB's JSON, bytes in base64. */
export type KeyAttribute = { readonly S: string } | { readonly N: string } | { readonly B: string };

export type ItemKey = Readonly<Record<string, KeyAttribute>>;

export interface ExpiredKey {
  readonly key: ItemKey;
  readonly ttl: Seconds;
}

export interface FailedKey {
  readonly key: ItemKey;
  /** DynamoDB's error code, e.g. `ValidationError`; `Unprocessed` when time or attempts ran out. */
  readonly reason: string;
}

export type KeyHash = `hmac-sha256:${string}`;

export type ShownKey = ItemKey | KeyHash;

export interface ListedFailure {
  /** Missing if keys are not shown. A key that is too long has `keyStart` instead, the beginning of its JSON. */
  readonly key?: ShownKey;
  readonly keyStart?: string;
  readonly reason: string;
}
