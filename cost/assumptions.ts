/** Memory of a function, MB, as in stacks/parts/sweep-function.ts. test/stacks/kinds.test.ts compares the functions with this value. */
export const FUNCTION_MEMORY_MB = 512;

/**
 * Duration of a call of a warm function, milliseconds: with up to 25 deletes, without the function's reads. The durations in this file are
 * assumptions, because a benchmark on one machine cannot measure AWS. `npm run bench cost` simulates calls, reads, the journal and late
 * ticks with the same durations, so that its results and the calculator's can be compared.
 */
export const CALL_MS = 25;

/**
 * Duration of a query of the index, and the processor time in it. The SDK's client needs about 0.8 ms of a whole core for a query; a
 * function of 512 MB has 0.29 of a core, and so needs 3 ms.
 */
export const READ_MS = { ms: 5, processorMs: 3 } as const;

export const JOURNAL_MS = 5;

/** Size of the journal's item with all watermarks, bytes: the item itself, and each table with a name of about 20 letters. */
export const WATERMARK_BYTES = { item: 60, table: 87 } as const;

export const ENTRY_BYTES = 100;

/**
 * Bytes that DynamoDB adds to each entry of an index. Source: DynamoDB Developer Guide, "Storage considerations for Global Secondary
 * Indexes".
 */
export const STORED_ENTRY_BYTES = 100;

export const TICK_LATE_SECONDS = 5;

/**
 * `batch` is the number of records in a full batch. `callMs` is the duration of a call of OnlyExpiries. `lineBytes` is the size of an event
 * without its item. Pipes bills units of `requestBytes`, and Firehose units of `stepBytes`. Firehose collects records for `bufferSeconds`.
 * gzip leaves `storedShare` of an archive's bytes: measured once, with items of half random bytes.
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

/** Bytes of the log lines of a sweep that deleted 100 items. test/cost/bill.test.ts measures the lines, and prints new values. */
export const LOG_BYTES = {
  swept: 539,
  metrics: 1028,
} as const;
