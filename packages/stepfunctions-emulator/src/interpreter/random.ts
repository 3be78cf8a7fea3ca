/** Numbers n with 0 <= n < 1. Everything random in the interpreter uses such a source. */
export interface RandomSource {
  next(): number;
}

export const systemRandom: RandomSource = { next: () => Math.random() };

/**
 * A reproducible source: the same seed gives the same numbers.
 *
 * A 32-bit counter that walks through all of its 2^32 values by an odd step, each mixed with two multiply-xorshift
 * rounds (the construction known as mulberry32). Good enough for jitter and test data, never for secrets.
 *
 * @param seed any number; only its lowest 32 bits count
 */
export function seededRandom(seed: number): RandomSource {
  let counter = seed | 0;
  return {
    next() {
      counter = (counter + 0x6d2b79f5) | 0;
      let mixed = Math.imul(counter ^ (counter >>> 15), counter | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    },
  };
}

const HEX = '0123456789abcdef';

/** A version 4 UUID drawn from `random`, so that a seeded run has the same identifiers every time. */
export function uuidFrom(random: RandomSource): string {
  return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, letter => {
    const nibble = Math.floor(random.next() * 16);
    return HEX.charAt(letter === 'x' ? nibble : (nibble & 3) | 8);
  });
}
