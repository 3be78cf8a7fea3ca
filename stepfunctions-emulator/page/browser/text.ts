import type { Outcome, Segment } from '../model/history.ts';

/** A duration in its shortest clear form. */
export function duration(ms: number): string {
  if (ms < 1) return '0 ms';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Number((ms / 1_000).toFixed(ms < 10_000 ? 2 : 1))} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1_000)} s`;
  if (ms < 86_400_000) return `${Math.floor(ms / 3_600_000)} h ${Math.floor((ms % 3_600_000) / 60_000)} min`;
  return `${Math.floor(ms / 86_400_000)} d ${Math.floor((ms % 86_400_000) / 3_600_000)} h`;
}

/** A time by this machine's clock. The title of its element names the time zone. */
export function moment(epochMs: number): string {
  const date = new Date(epochMs);
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

export const count = (number: number, one: string, more = `${one}s`): string =>
  `${number.toLocaleString('en-US')} ${number === 1 ? one : more}`;

export const OUTCOMES: Readonly<Record<Outcome, string>> = {
  running: 'running',
  succeeded: 'succeeded',
  caught: 'failed, caught',
  failed: 'failed',
  cutOff: 'cut off',
};

export const SEGMENTS: Readonly<Record<Segment['kind'], string>> = {
  attempt: 'attempt',
  retry: 'pause before the next attempt',
  wait: 'waiting',
};

/** JSON text with line breaks. */
export function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
