import { FlagError } from './flags.ts';

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/**
 * Reads a duration such as `2h`.
 *
 * @param flag where it comes from, for the message
 * @param least, most milliseconds; with the same in words
 * @returns milliseconds
 * @throws {FlagError}
 */
export function readDuration(
  text: string,
  {
    flag,
    least,
    most,
    bounds,
  }: { readonly flag: string; readonly least: number; readonly most: number; readonly bounds: string },
): number {
  const [, count, unit] = /^([1-9]\d{0,6})([smhd])$/.exec(text) ?? [];
  const milliseconds = Number(count) * (UNITS[unit as keyof typeof UNITS] ?? Number.NaN);
  if (milliseconds >= least && milliseconds <= most) return milliseconds;
  throw new FlagError(
    `--${flag}: expected a whole number and s, m, h or d, such as 90m or 2h, ${bounds}, got "${text}"`,
  );
}

/** As a person says it: `2 h`, `1 h 30 min`, `45 s`. */
export function describeDuration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor((seconds % 86_400) / 3600),
    Math.floor((seconds % 3600) / 60),
  ];
  const parts = [
    [days, 'd'],
    [hours, 'h'],
    [minutes, 'min'],
    [days + hours === 0 && minutes < 10 ? seconds % 60 : 0, 's'],
  ] as const;
  return (
    parts
      .filter(([count]) => count > 0)
      .slice(0, 2)
      .map(([count, unit]) => `${count} ${unit}`)
      .join(' ') || '0 s'
  );
}
