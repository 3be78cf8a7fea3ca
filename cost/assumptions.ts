/** Memory of a function, MB: that of stacks/parts/sweep-function.ts, which test/stacks/construct.test.ts compares. */
export const FUNCTION_MEMORY_MB = 512;

/**
 * Assumed durations and sizes of AWS, which no benchmark on one machine can measure. The simulation of `npm run bench cost` and the
 * calculator use the same values, so that their results can be compared. CALL_MS is a call of a warm function without its reads, also a
 * call with 25 guarded deletes.
 */

export const CALL_MS = 25;

/**
 * A query of the index. Its processor time is measured with the real client and a server that answers at once: about 0.8 ms of a whole
 * core. A function of 512 MB has 0.29 of a core.
 */
export const READ_MS = { ms: 5, processorMs: 3 } as const;

export const JOURNAL_MS = 5;

/**
 * Bytes of the journal's item with the watermarks (the times up to which tables are swept), and of each table in that item, with a name of
 * about 20 letters.
 */
export const WATERMARK_BYTES = { item: 60, table: 87 } as const;

export const ENTRY_BYTES = 100;

/**
 * Bytes that DynamoDB adds to each entry it stores. Source: DynamoDB Developer Guide, "Storage considerations for Global Secondary
 * Indexes".
 */
export const STORED_ENTRY_BYTES = 100;

export const TICK_LATE_SECONDS = 5;

/**
 * What passes a pipe: the records of a full batch, the duration of a call of OnlyExpiries, the bytes of an event without its item, the 64
 * KiB units of Pipes and the 5 KB units of Firehose, and the time for which Firehose collects. Gzip leaves a third of an archive: measured
 * once with items half of which is random.
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
