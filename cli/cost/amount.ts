import { FlagError } from '../flags.ts';

const FACTORS = { '': 1, k: 1e3, m: 1e6, b: 1e9 } as const;
const PATTERN = /^(?<digits>\d+(?:_\d+)*(?:\.\d+)?)(?<unit>[kmb]?)$/i;

/** The most items a month: 40,000 a second, the rate that a table takes by default. */
const MOST = 1e11;

/**
 * Reads a number of items: `50M`, `1.5k`, `50_000_000`.
 * @throws {FlagError} for anything else
 */
export function readAmount(flag: string, text: string): number {
  const { digits, unit = '' } = PATTERN.exec(text)?.groups ?? {};
  const factor = FACTORS[unit.toLowerCase() as keyof typeof FACTORS];
  const amount = digits === undefined ? Number.NaN : Number(digits.replaceAll('_', '')) * factor;
  if (amount <= MOST) return amount;
  throw new FlagError(
    `--${flag}: expected a number from 0 to 100B, such as 50M, 1.5k or 50_000_000, got "${text}"; write it without signs, commas and blanks`,
  );
}
