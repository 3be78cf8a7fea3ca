/** An object that belongs to a manifest. */
export interface Part {
  /** The hour in UTC, `14`, or `late`; further parts of the same hour are `14-2` and so on. */
  readonly name: string;
  readonly lines: number;
  /** SHA-256 of the lines, each with its line end, hexadecimal. */
  readonly sha256: string;
}

/** Counts of a day's lines. */
export interface DayCounts {
  /** Deletions by who deleted. */
  readonly deleted: { readonly sweep: number; readonly other: number };
  /** Deletions by the date of their expiry in UTC; `none` for items without a valid TTL. */
  readonly expired: Readonly<Record<string, number>>;
  /** The longest time between an expiry and its deletion; null if no deleted item had a TTL. */
  readonly latestSeconds: number | null;
}

export interface Manifest extends DayCounts {
  readonly format: 1;
  readonly table: string;
  /** Day in UTC. */
  readonly date: string;
  /** ISO-8601: entries that were written into the ledger later are only in the part `late` of the next day. */
  readonly asOf: string;
  /** Whether the table has an archive, in which each deletion should have a line. */
  readonly archive: boolean;
  /** How keys are written, and the ID of the salt. */
  readonly keys: { readonly as: 'text' } | { readonly as: 'hmac-sha256'; readonly saltId: string };
  /** Items that were due and not deleted, each key counted once. */
  readonly kept: { readonly renewed: number };
  /** By hour; an hour without deletions has none. */
  readonly parts: readonly Part[];
  /** Lines of the previous day that were recorded after its manifest was written; missing if there are none. */
  readonly late?: readonly Part[];
  /** The previous manifest, and SHA-256 of its bytes; null in the first one. */
  readonly previous: { readonly date: string; readonly sha256: string } | null;
}
