import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';
import { type DeploymentState, pauseOf, type Watermark } from '../journal/layout.ts';

/** A table that is swept without delay has a younger watermark. Its age is not recorded: CloudWatch bills each recorded metric. */
export const MIN_AGE_SECONDS = 3_600;

export const FIRST_LOOKBACK_SECONDS = 2 * 24 * 60 * 60;

/**
 * Finds the table whose watermark has not moved for the longest time, for example because somebody forgot a pause, or because the table
 * cannot be queried.
 *
 * 1. If a table has no watermark, its age begins with its pause. Without a pause such a table has no age.
 * 2. The watermark is always `marginSeconds` behind the clock, so the age begins `marginSeconds` later.
 * 3. A pause with an end (`until`) was planned, so the age begins at that end.
 * 4. The first tick looks back two days. The age does not begin before the first tick.
 *
 * @param moved the new watermarks of this tick, by table
 * @returns the table, and its age in seconds; undefined when all ages are below {@link MIN_AGE_SECONDS}
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
