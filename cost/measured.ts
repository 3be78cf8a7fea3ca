/** Bytes of the log lines of a sweep that deleted 100 items. test/cost/measured.test.ts measures these bytes, and prints new values. */
export const LOG_BYTES = {
  swept: 539,
  metrics: 1028,
} as const;
