import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';
import { type DeploymentState, pauseOf, type Watermark } from '../journal/layout.ts';

/** A table that keeps up or catches up has a younger watermark. A younger age is not recorded, and so costs nothing. */
export const MIN_AGE_SECONDS = 3_600;

export const FIRST_LOOKBACK_SECONDS = 2 * 24 * 60 * 60;

/**
 * The age of the oldest watermark. The age is high after a forgotten pause, and for a table that cannot be probed or swept.
 *
 * 1. A table without a watermark has no age; while such a table is paused, the pause's age counts.
 * 2. The margin does not count as a delay.
 * 3. A pause with an end was intended: the age begins at the end of the pause, since the ticks may catch up after the pause.
 * 4. The first tick looks back two days, which are no delay: no age begins before the first tick.
 *
 * @param moved new watermarks of this tick by table
 * @returns the table with the oldest watermark, and the seconds since its watermark stopped moving; undefined when no watermark is older
 * than {@link MIN_AGE_SECONDS}
 */
export function oldestWatermark(
  tables: readonly CarriedSettings[],
  state: DeploymentState,
  moved: ReadonlyMap<string, Pick<Watermark, 'since' | 'gone'>>,
  nowMs: number,
): { readonly table: string; readonly age: number } | undefined {
  const ages = tables.flatMap(carried => {
    const { tableName: table } = carried;
    const pause = state.pauses[table];
    const mark = moved.get(table) ?? state.watermarks.tables[table];
    const gone = mark && Math.max(mark.gone, mark.since + FIRST_LOOKBACK_SECONDS);
    const pausedAt = Date.parse(pauseOf(pause, nowMs)?.since ?? '') / 1000;
    const from = gone === undefined ? pausedAt : gone + (Number(carried['marginSeconds']) || 0);
    if (Number.isNaN(from)) return [];
    const meantUntil = pause?.until === undefined ? 0 : Date.parse(pause.until) / 1000;
    return [{ table, age: Math.floor(nowMs / 1000 - Math.max(from, meantUntil)) }];
  });
  const [oldest] = ages.toSorted((one, other) => other.age - one.age);
  return oldest !== undefined && oldest.age >= MIN_AGE_SECONDS ? oldest : undefined;
}
