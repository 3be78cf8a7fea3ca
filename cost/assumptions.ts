/**
 * Times that AWS takes, which no benchmark on one machine can measure. The simulation of `npm run bench cost` and the calculator take
 * the same, so that the one can be held against the other.
 */

/**
 * Duration of a function's call without its reads, milliseconds: the function, or a batch of 25 guarded deletes, with a warm
 * function.
 */
export const CALL_MS = 25;

/**
 * Duration of a query of the index, milliseconds. The processor's part is that of the real client with a server that answers at
 * once, about 0.8 ms on a whole core, at the 0.29 of a core that a function of 512 MB has.
 */
export const READ_MS = { ms: 5, processorMs: 3 } as const;

/** Duration of a call of the journal, milliseconds: a query of a few items, an update, a batch of rows. */
export const JOURNAL_MS = 5;

/** Bytes of the journal's entry with the watermarks, and of each table in it, whose name has about 20 letters. */
export const WATERMARK_BYTES = { item: 60, table: 78 } as const;

/** Bytes of the journal's entry of such a table whose index is scanned. */
export const SCAN_AT_BYTES = 52;

/** Size of an index entry, bytes: a window, a TTL and a key. */
export const ENTRY_BYTES = 100;

/**
 * Bytes that DynamoDB adds to each entry it stores. Source: DynamoDB Developer Guide, "Storage considerations for Global Secondary
 * Indexes".
 */
export const STORED_ENTRY_BYTES = 100;

/** How long after the full minute Scheduler starts a tick, seconds. */
export const TICK_LATE_SECONDS = 5;

/**
 * Durations of the function that archives. A put is the time that S3 takes for a small object. The processor's part and the size are those
 * of items of which half is random, measured once (commit 274c564c): 37 ms of a whole core for 1,000 items of 1 KB, of which a
 * function of 512 MB has 0.29.
 */
export const ARCHIVE = {
  putMs: 30,
  itemMs: 0.13,
  storedShare: 1 / 3,
  lineBytes: 300,
  loggedBytes: 300,
} as const;

/**
 * Sizes in the ledger: bytes of a row without its entries, of an entry that is a key, and of one with the hash of its line, gzipped, with
 * keys that are UUIDs; days for which it is kept; minutes of a reader's book in which a minute's deletions are looked for.
 */
export const LEDGER = { rowBytes: 240, keyBytes: 25, archivedBytes: 62, days: 14, minutes: 3 } as const;

/**
 * Costs of the manifests: processor time for a deletion, of a whole core, and the memory that has one; bytes of its line, gzipped; requests
 * to S3 of a day, of which a part for each hour; in how many slices a day's books are read, and how much more than itself with each. A test
 * holds what of this the function has.
 */
export const MANIFEST = {
  ...{ itemMs: 0.05, memoryMb: 1769, lineBytes: 82, requestsADay: 32 },
  ...{ slices: 144, readAround: 0.4 },
} as const;
