/*
 * Times that a state of the machine or a person reads are ISO-8601. Those that only functions read are numbers: what is compared with a TTL
 * is in whole seconds, and a moment within one is in milliseconds.
 *
 * Numbers by their unit. A plain number fits both, and what is calculated from them is a plain number again; but where the one is expected,
 * the other is refused.
 */

/** Seconds since 1970, or so many of them. */
export type Seconds = number & { readonly unit?: 'seconds' };

/** Milliseconds since 1970, or so many of them. */
export type Millis = number & { readonly unit?: 'milliseconds' };
