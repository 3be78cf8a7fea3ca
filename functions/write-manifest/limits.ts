/** The longest that Lambda allows. What a call has not done the next one does. */
export const MANIFEST_TIMEOUT_SECONDS = 900;

/** Of the function, where it reads an hour of ten million deletions a day. It has a whole core then. */
export const MANIFEST_MEMORY_MB = 1769;
