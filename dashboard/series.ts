import type { SweepReport } from '../operate/deployment/sweep.ts';
import type { Minute, SweepLag } from './report.ts';

/** Minutes that the page shows. */
export const SHOWN_MINUTES = 180;

const MINUTE_MS = 60_000;

/** Sweeps of a table that are kept at the most: a busy one has some per minute. */
const MAX_SWEEPS = 2_000;

/** The sweeps of a table in the last {@link SHOWN_MINUTES} minutes: it takes the same room however long it is filled. */
export class SweepSeries {
  /** By their names. */
  #sweeps = new Map<string, SweepReport>();

  /** Takes sweeps that it may have already. @param nowMs epoch milliseconds */
  add(sweeps: readonly SweepReport[], nowMs: number): void {
    for (const sweep of sweeps) this.#sweeps.set(sweep.name, sweep);
    const since = new Date(nowMs - SHOWN_MINUTES * MINUTE_MS).toISOString();
    const kept = [...this.#sweeps.values()]
      .filter(({ stoppedAt }) => stoppedAt >= since)
      .sort((one, other) => Date.parse(one.stoppedAt) - Date.parse(other.stoppedAt))
      .slice(-MAX_SWEEPS);
    this.#sweeps = new Map(kept.map(sweep => [sweep.name, sweep]));
  }

  /** The minutes that were swept, the oldest first. */
  get minutes(): Minute[] {
    const byMinute = Map.groupBy(this.#sweeps.values(), sweptMinute);

    return [...byMinute].map(([at, sweeps]) => minuteOf(at, sweeps));
  }

  /** The lag of each sweep that deleted something, the oldest first. */
  get lags(): SweepLag[] {
    return [...this.#sweeps.values()].flatMap(({ stoppedAt: at, kind, outcome: { lagMs } }) =>
      lagMs === null ? [] : [{ at, kind, p50: lagMs.p50, p99: lagMs.p99, max: lagMs.max }],
    );
  }

  /** The newest first. */
  newest(most: number): SweepReport[] {
    return [...this.#sweeps.values()].slice(-most).reverse();
  }
}

/** A tick ends a moment before or after the end of the minute that it sweeps. */
function sweptMinute({ stoppedAt }: SweepReport): string {
  const middle = new Date(Date.parse(stoppedAt) - MINUTE_MS / 2);
  return `${middle.toISOString().slice(0, 16)}:00.000Z`;
}

function minuteOf(at: string, sweeps: readonly SweepReport[]): Minute {
  const sum = (of: (outcome: SweepReport['outcome']) => number) =>
    sweeps.reduce((all, { outcome }) => all + of(outcome), 0);
  return {
    at,
    due: sum(({ found }) => found),
    deleted: sum(({ deleted }) => deleted),
    kept: sum(({ renewed, held }) => renewed + held),
    notFound: sum(({ notFound }) => notFound),
    left: sum(({ failed }) => failed),
  };
}
