import { MINUTES, RATE, SEED, VIRTUAL_MINUTES } from '../../../cli/flags.ts';

interface Range {
  readonly min: number;
  readonly max: number;
}

/** A flag for a whole number. */
export function whole<Default extends number>(
  { min, max }: Range,
  fallback: Default,
  help: string,
): { type: 'number'; min: number; max: number; whole: true; default: Default; value: 'N'; help: string } {
  return { type: 'number', min, max, whole: true, default: fallback, value: 'N', help };
}

export const seed = (help: string) => ({ ...SEED, default: 1, help }) as const;

/** Flags of an experiment in real time. */
export const REAL_TIME = {
  minutes: { ...MINUTES, help: 'how long items keep expiring' },
  rate: { ...RATE, help: 'items per second and table' },
  seed: seed('makes the same items and delays again'),
} as const;

export const virtualMinutes = <Default extends number>(fallback: Default, help: string) =>
  ({ ...VIRTUAL_MINUTES, default: fallback, help: `${help}, on the virtual clock` }) as const;
