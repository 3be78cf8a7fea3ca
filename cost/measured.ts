/**
 * This file is written by `npm run bench cost -- --write` from the functions' output: do not edit it by hand. Bytes of the log lines of a
 * sweep that deleted 100 items. A tick that finds nothing prints nothing.
 */
export const LOG_BYTES = {
  planned: 207,
  swept: 539,
  metrics: 1028,
} as const;
