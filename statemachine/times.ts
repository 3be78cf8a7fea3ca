/*
 * Times that a state or a person reads are ISO-8601. Other times are numbers: whole seconds if they are compared with a TTL, else
 * milliseconds.
 */

/** A time since 1970, or a duration. The compiler refuses `Seconds` for `Millis`, but accepts a plain number for both types. */
export type Seconds = number & { readonly unit?: 'seconds' };

export type Millis = number & { readonly unit?: 'milliseconds' };
