import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';
import { secondsBehind } from '../child/swept-range.ts';
import { type DeploymentState, isPaused } from '../journal/layout.ts';
import { readSettings } from '../runtime/environment.ts';

/** A watermark that is younger is that of a table that keeps up, or catches up: it is not recorded, and costs nothing. Seconds. */
export const MIN_AGE_SECONDS = 3_600;

/** The table that is furthest behind. */
export interface OldestWatermark {
  readonly table: string;
  /** Since then the ticks have not got any further with it, seconds. */
  readonly age: number;
}

/**
 * The age of the oldest watermark: of a pause that somebody forgot, of a table that cannot be asked, and of one whose ticks do not look
 * back as far as it is behind.
 *
 * 1. A table that has no watermark is known to nobody; once it is paused, it is as old as the pause.
 * 2. A grace is no delay.
 * 3. A pause that has an end was meant: the age begins with the end, after which the ticks may still make up for it.
 *
 * @param tables those of the deployment
 * @param moved what this tick knows anew, by table: the TTL up to which everything is gone, epoch seconds
 * @returns undefined when none is older than {@link MIN_AGE_SECONDS}
 */
export function oldestWatermark(
  tables: readonly CarriedSettings[],
  state: DeploymentState,
  moved: ReadonlyMap<string, number>,
  nowMs: number,
): OldestWatermark | undefined {
  const ages = tables.flatMap((carried): OldestWatermark[] => {
    const { tableName: table } = carried;
    const pause = state.control.pauses[table];
    const gone = moved.get(table) ?? state.watermarks.tables[table]?.gone;
    // Most are younger, whatever their grace is: the settings of a hundred tables are not read each minute.
    if (gone !== undefined && nowMs / 1000 - gone < MIN_AGE_SECONDS) return [];
    const from = gone === undefined ? pausedFrom(state, table, nowMs) : gone + behindOf(carried);
    if (from === undefined) return [];
    const meantUntil = pause?.until === undefined ? 0 : Date.parse(pause.until) / 1000;
    return [{ table, age: Math.floor(nowMs / 1000 - Math.max(from, meantUntil)) }];
  });
  const [oldest] = ages.toSorted((one, other) => other.age - one.age);
  return oldest !== undefined && oldest.age >= MIN_AGE_SECONDS ? oldest : undefined;
}

function pausedFrom(state: DeploymentState, table: string, nowMs: number): number | undefined {
  const pause = state.control.pauses[table];
  return pause !== undefined && isPaused(state, table, nowMs) ? Date.parse(pause.since) / 1000 : undefined;
}

/** A table whose settings cannot be read has a failure of its own. */
function behindOf(carried: CarriedSettings): number {
  try {
    return secondsBehind(readSettings(carried));
  } catch {
    return 0;
  }
}
