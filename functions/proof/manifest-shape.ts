/** An object that belongs to a manifest. */
export interface Part {
  /** The hour in UTC, `14`, or `late`; of its further parts `14-2` and so on. */
  readonly name: string;
  readonly lines: number;
  /** SHA-256 of the lines, each with its end, hexadecimal. */
  readonly sha256: string;
}

/** Counts of a day's lines. */
export interface DayCounts {
  /** Deletions, by who made them. */
  readonly deleted: { readonly sweep: number; readonly other: number };
  /** Deletions by the date of their expiry in UTC; `none` for items without a TTL that is a time. */
  readonly expired: Readonly<Record<string, number>>;
  /** The longest time between an expiry and its deletion; null where nothing was deleted that had a TTL. */
  readonly latestSeconds: number | null;
}

export interface Manifest extends DayCounts {
  readonly format: 1;
  readonly table: string;
  /** In UTC. */
  readonly date: string;
  /** ISO-8601: what was written into the ledger later is in no part but `late` of the day after. */
  readonly asOf: string;
  /** Whether the table has an archive, so that each deletion should have a line there. */
  readonly archive: boolean;
  /** How keys are written, and by which salt. */
  readonly keys: { readonly as: 'text' } | { readonly as: 'hmac-sha256'; readonly saltId: string };
  /** Items that were found due and not deleted, each key once. */
  readonly kept: { readonly held: number; readonly renewed: number };
  /** By hour; an hour without deletions has none. */
  readonly parts: readonly Part[];
  /** Lines of the day before that came after its manifest; missing where there are none. */
  readonly late?: readonly Part[];
  /** The manifest before, and SHA-256 of its bytes; null in the first one. */
  readonly previous: { readonly date: string; readonly sha256: string } | null;
}
