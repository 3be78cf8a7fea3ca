/** Keys of items, as the states hand them on and as reports show them. */

import type { Seconds } from '../times.ts';

/** A value of a key attribute as DynamoDB's JSON has it, bytes in base64. */
export type KeyAttribute = { readonly S: string } | { readonly N: string } | { readonly B: string };

/** A primary key: attribute name → value. */
export type ItemKey = Readonly<Record<string, KeyAttribute>>;

/** An expired item: its primary key, and the TTL that the index has for it. */
export interface ExpiredKey {
  readonly key: ItemKey;
  readonly ttl: Seconds;
}

/** A key that DynamoDB will not delete, however often it is asked. */
export interface FailedKey {
  readonly key: ItemKey;
  /** DynamoDB's error code, e.g. `ValidationError`; `Unprocessed` when time or attempts ran out. */
  readonly reason: string;
}

/** Stands for a key where the key must not be shown: `hmac-sha256:` and 16 hexadecimal digits. */
export type KeyHash = `hmac-sha256:${string}`;

/** A key as logs, reports and causes show it. With the setting `logKeys: 'none'` there is nothing in its place. */
export type ShownKey = ItemKey | KeyHash;

/** A {@link FailedKey} as a child or an execution lists it. */
export interface ListedFailure {
  /** Absent too where keys are not shown at all. */
  readonly key?: ShownKey;
  /** Instead of a key for which there is no room: the beginning of its JSON. */
  readonly keyStart?: string;
  readonly reason: string;
}
