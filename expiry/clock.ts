import { InvalidArgumentError } from './errors.ts';

/** Epoch milliseconds in 1973 and 5138. Between these times the number of digits shows the unit: seconds, milliseconds or microseconds. */
export const FIRST_MS = 1e11;
export const END_MS = 1e14;

export function clockSeconds(now: unknown, field = 'nowMs'): number {
  if (isBetween(now, FIRST_MS, END_MS)) return Math.floor(now / 1000);
  throw new InvalidArgumentError({
    field,
    expected: 'epoch milliseconds, as Date.now() gives them',
    got: now,
    remedy: unitRemedy(now),
  });
}

export function checkCutoff(cutoff: unknown): void {
  if (isBetween(cutoff, FIRST_MS / 1000, END_MS / 1000)) return;
  throw new InvalidArgumentError({
    field: 'cutoff',
    expected: 'epoch seconds',
    got: cutoff,
    remedy: isBetween(cutoff, FIRST_MS, END_MS)
      ? 'It looks like milliseconds: divide by 1000 and round down.'
      : 'Pass Math.floor(Date.now() / 1000).',
  });
}

function unitRemedy(value: unknown): string {
  if (value instanceof Date) return 'Pass date.getTime().';
  if (isBetween(value, FIRST_MS / 1000, END_MS / 1000)) return 'It looks like seconds: multiply by 1000.';
  if (isBetween(value, FIRST_MS * 1000, END_MS * 1000)) return 'It looks like microseconds: divide by 1000.';
  return "Pass Date.now(), and set this machine's clock.";
}

function isBetween(value: unknown, first: number, end: number): value is number {
  return typeof value === 'number' && value >= first && value < end;
}
