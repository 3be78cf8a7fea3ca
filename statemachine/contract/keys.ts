import type { Seconds } from '../times.ts';

/** A value of a key attribute in DynamoDB's JSON, bytes in base64. */
export type KeyAttribute = { readonly S: string } | { readonly N: string } | { readonly B: string };

/** By attribute name. */
export type ItemKey = Readonly<Record<string, KeyAttribute>>;

export interface ExpiredKey {
  readonly key: ItemKey;
  readonly ttl: Seconds;
}

/** A key whose delete failed for good: DynamoDB refuses it however often it is tried, or time or attempts ran out. */
export interface FailedKey {
  readonly key: ItemKey;
  /** DynamoDB's error code, e.g. `ValidationError`; `Unprocessed` when time or attempts ran out. */
  readonly reason: string;
}

/** What replaces a key that must not be shown: `hmac-sha256:` and 16 hexadecimal digits. */
export type KeyHash = `hmac-sha256:${string}`;

/** A key in logs, reports and causes. The setting `logKeys: 'none'` leaves it out. */
export type ShownKey = ItemKey | KeyHash;

export interface ListedFailure {
  /** Missing if keys are not shown at all, or if there is only room for `keyStart`. */
  readonly key?: ShownKey;
  /** The beginning of the key's JSON, if there is no room for the whole key. */
  readonly keyStart?: string;
  readonly reason: string;
}
