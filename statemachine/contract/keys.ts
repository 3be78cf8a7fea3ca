/** Keys of items, as states pass them on and reports show them. */

import type { Seconds } from '../times.ts';

/** A value of a key attribute in DynamoDB's JSON, bytes in base64. */
export type KeyAttribute = { readonly S: string } | { readonly N: string } | { readonly B: string };

/** A primary key by attribute name. */
export type ItemKey = Readonly<Record<string, KeyAttribute>>;

/** An expired item: its primary key, and the TTL in its index entry. */
export interface ExpiredKey {
  readonly key: ItemKey;
  readonly ttl: Seconds;
}

/** A key whose delete failed for good: DynamoDB refuses it whatever the number of retries, or time or attempts ran out. */
export interface FailedKey {
  readonly key: ItemKey;
  /** DynamoDB's error code, e.g. `ValidationError`; `Unprocessed` when time or attempts ran out. */
  readonly reason: string;
}

/** The hash that replaces a key that must not be shown: `hmac-sha256:` and 16 hexadecimal digits. */
export type KeyHash = `hmac-sha256:${string}`;

/** A key in logs, reports and causes. With the setting `logKeys: 'none'` it is left out. */
export type ShownKey = ItemKey | KeyHash;

/** A {@link FailedKey} in the list of a child or an execution. */
export interface ListedFailure {
  /** Missing if keys are not shown at all, or if there is only room for `keyStart`. */
  readonly key?: ShownKey;
  /** The beginning of the key's JSON, if there is no room for the whole key. */
  readonly keyStart?: string;
  readonly reason: string;
}
