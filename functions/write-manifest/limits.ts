/** Timeout of the function: the longest that Lambda allows. The next call continues where one was cut off. */
export const MANIFEST_TIMEOUT_SECONDS = 900;

/** Memory with which Lambda gives the function a whole core. Each deletion takes 0.05 ms, so ten million in a day take nine minutes. */
export const MANIFEST_MEMORY_MB = 1769;
