import { FlagError } from './flags.ts';

const UNITS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;
type Unit = keyof typeof UNITS;

/**
 * A time span of a flag: `30m`, `2h`, `7d`.
 *
 * @param most the longest that makes sense
 * @returns milliseconds
 * @throws {FlagError}
 */
export function readTimeSpan(flag: string, text: string, most: `${number}${Unit}`): number {
  const seconds = secondsOf(text);
  if (seconds !== undefined && seconds > 0 && seconds <= (secondsOf(most) ?? 0)) return seconds * 1000;
  throw new FlagError(`${flag}: expected a time span such as 30m, 2h or 7d, at most ${most}, got "${text}"`);
}

function secondsOf(text: string): number | undefined {
  const [, amount, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  return unit === undefined ? undefined : Number(amount) * UNITS[unit as Unit];
}
