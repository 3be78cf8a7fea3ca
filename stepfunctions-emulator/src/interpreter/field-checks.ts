/** Checks of a definition's field values, whether constant or evaluated. */

export const isText = (value: unknown): value is string => typeof value === 'string';

export const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';

/** An integer between two bounds, both allowed. */
export const isIntegerFrom =
  (least: number, most: number) =>
  (value: unknown): value is number =>
    typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;

/** A concurrency or a number of failures. */
export const isCount = isIntegerFrom(0, Number.MAX_SAFE_INTEGER);

export const isPercentage = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= 100;
