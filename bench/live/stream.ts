import type { RandomSource } from 'stepfunctions-emulator';
import type { Action } from '../../lab/demo/workload.ts';

export interface StreamOptions {
  /** When the first item may be written, epoch milliseconds. */
  readonly startMs: number;
  /** When the first item expires, epoch seconds. */
  readonly firstTtl: number;
  /** How long items keep expiring. */
  readonly minutes: number;
  /** Items that expire in one second. */
  readonly rate: number;
  /** Seconds between two moments at which items expire. @default 1 */
  readonly everySeconds?: number;
  /** How long an item lives, seconds: drawn evenly between the two. @default 20 to 120 */
  readonly life?: { readonly from: number; readonly to: number };
  readonly random: RandomSource;
}

/** From written well before a tick that owns them to written within their minute. */
const LIFE = { from: 20, to: 120 };

/**
 * Plans a stream of items that are written once and expire at a steady rate.
 *
 * @returns the writes in the order of their time
 */
export function planStream(options: StreamOptions): Action[] {
  const { startMs, firstTtl, minutes, rate, everySeconds = 1, life = LIFE, random } = options;
  const moments = Math.ceil((minutes * 60) / everySeconds);
  const actions = Array.from({ length: Math.max(1, Math.round(moments * rate)) }, (_unused, item): Action => {
    const moment = Math.min(moments - 1, Math.floor(item / rate));
    const ttl = firstTtl + moment * everySeconds;
    const seconds = life.from + random.next() * (life.to - life.from);
    return { atMs: Math.max(startMs, (ttl - seconds) * 1000), item, kind: 'write', ttl };
  });
  return actions.sort((one, other) => one.atMs - other.atMs);
}

const MINUTE_MS = 60_000;
/** For whatever is between planning and the first tick. */
const LEAD_MS = 5_000;

/**
 * When the first item of a run may expire, epoch seconds: the local schedules begin with the next minute, and a precise
 * tick owns the minute after the next, so the minute after that tick is the first that every mode is there for.
 */
export function firstTtlOf(startMs: number): number {
  return (Math.ceil((startMs + LEAD_MS) / MINUTE_MS) * MINUTE_MS + MINUTE_MS) / 1000;
}
