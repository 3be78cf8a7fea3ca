/** Calls in all per object. What fails then is delivered again by the stream's mapping, for almost a day. */
export const PUT_ATTEMPTS = 3;

/** How long one call may take, milliseconds: an object has at most the 6 MB of a batch, and far less compressed. */
export const PUT_TIMEOUT_MS = 5_000;

/** A batch has mostly one object; the first ones after a long time without a sweep can have one for each of many days. */
export const PUTS_AT_ONCE = 10;

/** Seconds after which a call of the function begins no other object. */
export const PUTTING_SECONDS = 30;

/** Milliseconds that the ledger of what was put may take. */
export const LEDGER_TIMEOUT_MS = 5_000;

/**
 * Time limit of the function: a put that has begun within {@link PUTTING_SECONDS} ends, with all its attempts and the pauses between them,
 * and the ledger is written.
 */
export const ARCHIVE_TIMEOUT_SECONDS = 60;
