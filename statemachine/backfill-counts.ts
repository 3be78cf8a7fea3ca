import type { TtlFault } from '../expiry/ttl.ts';

/** Why an item whose TTL attribute is set is not stamped: the sweep would never delete it. */
export const REFUSALS = {
  notNumber: 'the TTL is no Number: it never expires',
  negative: 'the TTL lies before 1970: it never expires',
  tooOld: 'the TTL lies more than five years back: it is ignored',
  milliseconds: 'the TTL has 13 or 14 digits: it looks like milliseconds',
  tooFarAhead: 'the TTL lies more than 20 years ahead',
} as const satisfies Readonly<Record<TtlFault, string>>;

export const REFUSAL_NAMES = Object.keys(REFUSALS) as readonly TtlFault[];

/** The results of an item other than being refused. Together with the refusals they add up to `scanned`. */
export const BACKFILL_FATES = {
  stamped: 'its window was written',
  toStamp: 'its window would be written (dry run)',
  rightAlready: 'it has the right window',
  withoutTtl: 'it has no TTL',
  changedMeanwhile: 'its TTL was changed, or it was deleted, after it was read: it is left as it is',
  failed: 'DynamoDB refused the write. Above 0 the execution fails',
} as const;

export type BackfillFate = keyof typeof BACKFILL_FATES;

export const BACKFILL_FATE_NAMES = Object.keys(BACKFILL_FATES) as readonly BackfillFate[];

/** Counts of a backfill: `scanned` is the sum of the results and of the refusals. */
export interface BackfillCounts extends Readonly<Record<BackfillFate, number>> {
  readonly scanned: number;
  readonly refused: Readonly<Record<TtlFault, number>>;
}

/** The result of one item. */
export type ItemFate = BackfillFate | { readonly refused: TtlFault };

export const NO_BACKFILL_COUNTS: BackfillCounts = {
  scanned: 0,
  ...each(BACKFILL_FATE_NAMES, () => 0),
  refused: each(REFUSAL_NAMES, () => 0),
};

/** Adds these items to the counts. */
export function countItems(before: BackfillCounts, fates: readonly ItemFate[]): BackfillCounts {
  const refused = each(
    REFUSAL_NAMES,
    name =>
      before.refused[name] + fates.filter(fate => typeof fate === 'object' && fate.refused === name).length,
  );
  return {
    scanned: before.scanned + fates.length,
    ...each(BACKFILL_FATE_NAMES, name => before[name] + fates.filter(fate => fate === name).length),
    refused,
  };
}

/** Adds up the counts of items: `scanned`. */
export function sumOfItems({ refused, ...counts }: BackfillCounts): number {
  return (
    BACKFILL_FATE_NAMES.reduce((sum, name) => sum + counts[name], 0) +
    REFUSAL_NAMES.reduce((sum, name) => sum + refused[name], 0)
  );
}

function each<Name extends string>(
  names: readonly Name[],
  count: (name: Name) => number,
): Readonly<Record<Name, number>> {
  return Object.fromEntries(names.map(name => [name, count(name)])) as Record<Name, number>;
}
