import { FlagError } from './flags.ts';

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A duration as a flag takes it: `2h`. */
export type Duration = `${number}${keyof typeof UNITS}`;

/**
 * Reads a duration such as `2h`.
 *
 * @param flag the flag's name for the message: `--for`
 * @returns milliseconds
 * @throws {FlagError}
 */
export function readDuration(
  flag: string,
  text: string,
  { least, most }: { readonly least: Duration; readonly most: Duration },
): number {
  const milliseconds = millisecondsOf(text);
  if (milliseconds >= millisecondsOf(least) && milliseconds <= millisecondsOf(most)) return milliseconds;
  throw new FlagError(
    `${flag}: expected a whole number and s, m, h or d, such as 90m or 2h, from ${least} to ${most}, got "${text}"`,
  );
}

/** Milliseconds; NaN if the text is not a duration. */
function millisecondsOf(text: string): number {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  return Number(count) * (UNITS[unit as keyof typeof UNITS] ?? Number.NaN);
}

/** A duration for a person: `2 h`, `1 h 30 min`, `45 s`. For rounded ages see operate/times.ts. */
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

const DATE = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/;

/**
 * Reads a time from a flag: a date in UTC, or a time in ISO-8601 with a zone.
 *
 * @param flag its name without the dashes
 * @returns epoch milliseconds
 * @throws {FlagError}
 */
export function readTime(flag: string, text: string): number {
  const ms = DATE.test(text) || TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return ms;
  throw new FlagError(
    `--${flag}: expected a date such as 2026-11-20, which is one in UTC, or a time such as 2026-11-20T09:00:00Z, got "${text}"`,
  );
}
