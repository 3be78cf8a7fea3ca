/** The longest timeout that Lambda allows. The next call continues where one was cut off. */
export const MANIFEST_TIMEOUT_SECONDS = 900;

/** A whole core: each deletion takes 0.05 ms, so ten million in a day take nine minutes. */
export const MANIFEST_MEMORY_MB = 1769;
