/*
 * Points in time are ISO-8601 texts if a state machine or a person reads them; otherwise numbers: whole epoch seconds for comparisons
 * with a TTL, else epoch milliseconds.
 */

/** Epoch seconds, or a duration in seconds. The compiler refuses `Seconds` for `Millis`, but accepts a plain number for both types. */
export type Seconds = number & { readonly unit?: 'seconds' };

export type Millis = number & { readonly unit?: 'milliseconds' };
