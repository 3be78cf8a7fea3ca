import { InvalidArgumentError } from './errors.ts';

/** Between the years 1973 and 5138 a time has 12 to 14 digits in milliseconds, 9 to 11 in seconds, and 15 to 17 in microseconds. */
const FIRST_MS = 1e11;
const END_MS = 1e14;

/**
 * @throws InvalidArgumentError for another unit than milliseconds, and for anything but a number
 * @param nowMs undefined: this machine's clock
 */
export function clockSeconds(nowMs: number | undefined): number {
  return nowMs === undefined
    ? secondOf(Date.now(), 'Date.now()', () => "Set this machine's clock.")
    : secondOf(nowMs, 'nowMs', unitRemedy);
}

export function clockSecondsOf(now: (() => number) | undefined): number {
  return now === undefined ? clockSeconds(undefined) : secondOf(now(), 'now()', unitRemedy);
}

function secondOf(value: unknown, field: string, remedy: (value: unknown) => string): number {
  if (isBetween(value, FIRST_MS, END_MS)) return Math.floor(value / 1000);
  throw new InvalidArgumentError({
    field,
    expected: 'epoch milliseconds, as Date.now() gives them',
    got: value,
    remedy: remedy(value),
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
  return 'Pass Date.now(), or leave it out.';
}

function isBetween(value: unknown, first: number, end: number): value is number {
  return typeof value === 'number' && value >= first && value < end;
}
