/** Memory of a function, MB, as in stacks/parts/sweep-function.ts: test/stacks/construct.test.ts compares both values. */
export const FUNCTION_MEMORY_MB = 512;

/**
 * Assumed durations and sizes of AWS, which no benchmark on one machine can measure. The simulation of `npm run bench cost` and the
 * calculator use the same values, so that their results can be compared. Each call of a warm function takes CALL_MS plus its reads; 25
 * guarded deletes are included.
 */

export const CALL_MS = 25;

/**
 * A query of the index. Measured with the real client and a server that answers at once: about 0.8 ms of a whole core. A function of 512 MB
 * has 0.29 of a core: so 3 ms.
 */
export const READ_MS = { ms: 5, processorMs: 3 } as const;

export const JOURNAL_MS = 5;

/** Bytes of the journal's item that has the watermarks, and bytes that each table with a name of about 20 letters adds to this item. */
export const WATERMARK_BYTES = { item: 60, table: 87 } as const;

export const ENTRY_BYTES = 100;

/**
 * Bytes that DynamoDB adds to each entry it stores. Source: DynamoDB Developer Guide, "Storage considerations for Global Secondary
 * Indexes".
 */
export const STORED_ENTRY_BYTES = 100;

export const TICK_LATE_SECONDS = 5;

/**
 * Sizes and times of pipes: records of a full batch, duration of a call of OnlyExpiries, bytes of an event without its item, the 64 KiB
 * units of Pipes, the 5 KB units of Firehose, and seconds for which Firehose collects. Gzip leaves a third of an archive: measured once
 * with items of half random bytes.
 */
export const PIPED = {
  archive: { batch: 100 },
  events: { batch: 10 },
  callMs: 10,
  lineBytes: 300,
  requestBytes: 64 * 1024,
  stepBytes: 5 * 1024,
  bufferSeconds: 300,
  storedShare: 1 / 3,
} as const;

/** Bytes of the log lines of a sweep that deleted 100 items. test/cost/measured.test.ts measures these bytes, and prints new values. */
export const LOG_BYTES = {
  swept: 539,
  metrics: 1028,
} as const;
