/** The longest that Lambda allows. What a call has not done the next one does. */
export const MANIFEST_TIMEOUT_SECONDS = 900;

/** A whole core: it takes 0.05 ms for each deletion, so that ten million of a day take nine minutes. */
export const MANIFEST_MEMORY_MB = 1769;
