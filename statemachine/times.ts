/*
 * Times that a state or a person reads are ISO-8601. Times that only functions read are numbers: whole seconds if a function compares them
 * with a TTL, otherwise milliseconds.
 *
 * A number of these types is a time since 1970, or a duration. The compiler refuses `Seconds` where `Millis` is expected, and `Millis`
 * where `Seconds` is expected. For both types the compiler accepts a plain number, such as the result of a calculation.
 */

export type Seconds = number & { readonly unit?: 'seconds' };

export type Millis = number & { readonly unit?: 'milliseconds' };
