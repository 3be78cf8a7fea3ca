/*
 * Times that a state or a person reads are ISO-8601. Times that only functions read are numbers: whole seconds if they are compared with a
 * TTL, otherwise milliseconds.
 *
 * The types name a number's unit; the number is a time since 1970 or a duration. A plain number fits both types, and a calculation gives a
 * plain number. But the compiler refuses seconds for milliseconds, and milliseconds for seconds.
 */

export type Seconds = number & { readonly unit?: 'seconds' };

export type Millis = number & { readonly unit?: 'milliseconds' };
