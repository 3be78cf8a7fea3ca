/**
 * This file is written by `npm run bench cost -- --write` from the functions' output: do not edit it by hand. Bytes of the log lines of a
 * sweep that deleted 100 items.
 */
export const LOG_BYTES = {
  swept: 539,
  metrics: 1028,
} as const;
