import type { Control } from './layout.ts';

/** Two seconds, and then a call of at most two: a pause stops deletes within five. */
const KEPT_MS = 2_000;

/**
 * Keeps the pauses of all tables for two seconds from the beginning of their read. A failed read is not kept.
 *
 * @param clock epoch milliseconds
 */
export function keptPauses(clock: () => number): (read: () => Promise<Control>) => Promise<Control> {
  let kept: { readonly control: Control; readonly readAtMs: number } | undefined;
  return async read => {
    const readAtMs = clock();
    if (kept === undefined || readAtMs - kept.readAtMs >= KEPT_MS) kept = { control: await read(), readAtMs };
    return kept.control;
  };
}
