/**
 * What no benchmark on this machine can measure: how long AWS takes. The simulation of `npm run bench cost` and the calculator take
 * the same, so that the one can be held against the other.
 */

/**
 * What a call of a function takes without its reads, milliseconds: the function, or a batch of 25 guarded deletes, with a warm
 * function.
 */
export const CALL_MS = 25;

/**
 * What a query of the index takes, milliseconds. The processor's part is that of the real client with a server that answers at
 * once, about 0.8 ms on a whole core, at the 0.29 of a core that a function of 512 MB has.
 */
export const READ_MS = { ms: 5, processorMs: 3 } as const;

/** What a call of the journal takes, milliseconds: a query of a few items, an update, a batch of rows. */
export const JOURNAL_MS = 5;

/** Bytes of the journal's entry with the watermarks, and of each table in it, whose name has about 20 letters. */
export const WATERMARK_BYTES = { item: 60, table: 78 } as const;

/** Bytes of the journal's entry of such a table whose index is scanned. */
export const SCAN_AT_BYTES = 52;

/** Of an index entry, bytes: a window, a TTL and a key. */
export const ENTRY_BYTES = 100;

/** What DynamoDB adds to each entry it stores. Source: DynamoDB Developer Guide, "Storage considerations for Global Secondary Indexes". */
export const STORED_ENTRY_BYTES = 100;

/** How long after the full minute Scheduler starts a tick, seconds. */
export const TICK_LATE_SECONDS = 5;

/**
 * Of the function that archives. A put is what S3 takes for a small object. The processor's part and the size are those of items of
 * which half is random, as `npm run bench archive-cost` prints them: 37 ms of a whole core for 1,000 items of 1 KB, of which a function of
 * 512 MB has 0.29.
 */
export const ARCHIVE = {
  putMs: 30,
  itemMs: 0.13,
  storedShare: 1 / 3,
  lineBytes: 300,
  loggedBytes: 300,
} as const;

/**
 * Of the ledger: bytes of a row without its entries, of an entry that is a key, and of one with the hash of its line, gzipped, with keys
 * that are UUIDs; days for which it is kept; minutes of a reader's book in which a minute's deletions are looked for.
 */
export const LEDGER = { rowBytes: 240, keyBytes: 25, archivedBytes: 62, days: 14, minutes: 3 } as const;
