import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger } from '../../lab/ledger/ledger.ts';

export interface UntilGoneOptions {
  readonly ledgers: readonly Ledger[];
  /** When the last item expires, epoch seconds. */
  readonly lastTtl: number;
  readonly signal: AbortSignal;
  /** Called about once a second. */
  readonly onCheck?: (nowMs: number) => void;
}

/** The next tick, one more for what that one missed, and time to sweep: what is left then, stays. */
export const MAX_WAIT_SECONDS = 150;
const CHECK_INTERVAL_MS = 1_000;
/** For deletions that are late by no more than the last second. */
const SETTLE_MS = 1_000;

/** Waits until everything that expires is gone, but no longer than makes sense. */
export async function untilGone({ ledgers, lastTtl, signal, onCheck }: UntilGoneOptions): Promise<void> {
  while (!signal.aborted) {
    const now = Date.now();
    onCheck?.(now);
    const waited = now - lastTtl * 1000;
    if (waited >= MAX_WAIT_SECONDS * 1000) return;
    if (waited >= SETTLE_MS && ledgers.every(ledger => ledger.tally(now).overdue === 0)) return;
    await sleep(CHECK_INTERVAL_MS, undefined, { signal }).catch(() => {});
  }
}
