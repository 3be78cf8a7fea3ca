import { LocalTestError } from './errors.ts';

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/**
 * Parses a duration to milliseconds: a whole number and `ms`, `s`, `m`, `h` or `d`, e.g. `'10m'`.
 * @throws {LocalTestError}
 */
export function readDuration(duration: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,9})(ms|[smhd])$/.exec(duration) ?? [];
  const milliseconds = Number(digits) * (UNIT_MS[unit] ?? Number.NaN);
  if (milliseconds > 0) return milliseconds;
  throw new LocalTestError(
    `duration: expected a whole number above 0 and ms, s, m, h or d, e.g. '10m', got ${JSON.stringify(duration)}`,
  );
}
