/** Returns random numbers n with 0 <= n < 1. The interpreter takes all random numbers from a RandomSource. */
export interface RandomSource {
  next(): number;
}

export const systemRandom: RandomSource = { next: () => Math.random() };

/**
 * A reproducible source (mulberry32). The numbers are good enough for jitter and test data, but never for secrets.
 * @param seed only the lowest 32 bits count
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

/** A version 4 UUID made from the numbers of `random`: a run with the same seed gets the same ids. */
export function uuidFrom(random: RandomSource): string {
  return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, letter => {
    const nibble = Math.floor(random.next() * 16);
    return HEX.charAt(letter === 'x' ? nibble : (nibble & 3) | 8);
  });
}
