import type { SweepReport } from '../operate/deployment/sweep.ts';
import type { Minute, SweepLag } from './report.ts';

/** Minutes that the page shows. */
export const SHOWN_MINUTES = 180;

const MINUTE_MS = 60_000;

/** Most sweeps of a table that are kept: a busy one has a few per minute. */
const MAX_SWEEPS = 2_000;

/** The sweeps of a table in the last {@link SHOWN_MINUTES} minutes, in bounded memory. */
export class SweepSeries {
  /** Sweeps by their names. */
  #sweeps = new Map<string, SweepReport>();

  /** Adds sweeps; some may be there already. @param nowMs epoch milliseconds */
  add(sweeps: readonly SweepReport[], nowMs: number): void {
    for (const sweep of sweeps) this.#sweeps.set(sweep.name, sweep);
    const since = new Date(nowMs - SHOWN_MINUTES * MINUTE_MS).toISOString();
    const kept = [...this.#sweeps.values()]
      .filter(({ stoppedAt }) => stoppedAt >= since)
      .sort((one, other) => Date.parse(one.stoppedAt) - Date.parse(other.stoppedAt))
      .slice(-MAX_SWEEPS);
    this.#sweeps = new Map(kept.map(sweep => [sweep.name, sweep]));
  }

  /** The minutes in which the table was swept, the oldest first. */
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

  /** The newest sweeps, the newest first. */
  newest(most: number): SweepReport[] {
    return [...this.#sweeps.values()].slice(-most).reverse();
  }
}

/** The minute that a tick swept. A tick ends shortly before or after the end of that minute. */
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
    kept: sum(({ renewed }) => renewed),
    notFound: sum(({ notFound }) => notFound),
    left: sum(({ failed }) => failed),
  };
}
