/** Attempts per object. After the last one the stream's mapping delivers the records again, for almost a day. */
export const PUT_ATTEMPTS = 3;

/** Timeout of one put, in milliseconds: an object has at most the 6 MB of a batch, and is much smaller when compressed. */
export const PUT_TIMEOUT_MS = 5_000;

/** Concurrent puts. Most batches have one object; the first ones after a long pause of the sweep can have one for each of many days. */
export const PUTS_AT_ONCE = 10;

/** Seconds after which the function starts no further put. */
export const PUTTING_SECONDS = 30;

/**
 * Timeout of the function: a put that begins within {@link PUTTING_SECONDS} can end, with all attempts and the pauses between them.
 */
export const ARCHIVE_TIMEOUT_SECONDS = 60;
