/*
 * Numbers by their unit. A plain number fits both, and what is calculated from them is a plain number again; but where the one is expected,
 * the other is refused.
 */

/** Seconds since 1970, or so many of them. */
export type Seconds = number & { readonly unit?: 'seconds' };

/** Milliseconds since 1970, or so many of them. */
export type Millis = number & { readonly unit?: 'milliseconds' };
