/** Memory of a function, MB, as in stacks/parts/sweep-function.ts. test/stacks/kinds.test.ts compares the functions with this value. */
export const FUNCTION_MEMORY_MB = 512;

/** Assumed milliseconds of a warm function's call, with up to 25 deletes, but without index queries and the journal. */
export const CALL_MS = 25;

/** Assumed milliseconds of an index query. `processorMs` is the SDK's share: 0.8 ms on a whole core, 3 ms on a function's 0.29 core. */
export const READ_MS = { ms: 5, processorMs: 3 } as const;

export const JOURNAL_MS = 5;

/** Bytes of the journal's item with the watermarks: `item` without tables, and `table` for each table (a name of about 20 letters). */
export const WATERMARK_BYTES = { item: 60, table: 87 } as const;

export const ENTRY_BYTES = 100;

/**
 * Bytes that DynamoDB adds to each entry of an index. Source: DynamoDB Developer Guide, "Storage considerations for Global Secondary
 * Indexes".
 */
export const STORED_ENTRY_BYTES = 100;

export const TICK_LATE_SECONDS = 5;

export const PIPED = {
  archive: { batch: 100 },
  events: { batch: 10 },
  callMs: 10,
  /** Size of an ExpiryEvent's JSON without the item. */
  lineBytes: 300,
  /** EventBridge Pipes bills units of this size. */
  requestBytes: 64 * 1024,
  /** Firehose bills units of this size. */
  stepBytes: 5 * 1024,
  bufferSeconds: 300,
  /** Compressed size of an archive divided by its uncompressed size. Measured once, with items of which half the bytes were random. */
  storedShare: 1 / 3,
} as const;

/** Bytes of the log lines of a sweep that deleted 100 items. test/cost/bill.test.ts fails for values that are off by 10%. */
export const LOG_BYTES = {
  swept: 539,
  metrics: 1028,
} as const;
