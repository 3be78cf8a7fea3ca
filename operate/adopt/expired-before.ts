import { PRICES } from '../../cost/prices.ts';
import type { AdoptionPlan } from './plan.ts';
import type { Reading } from './reading.ts';
import { sparingRate } from './ttl-look.ts';

/** Deletes a second that the question offers: a twentieth of what a new table on demand takes. Source: 4,000 write units. */
export const DELETES_PER_SECOND = 200;

/** Read units for the table as a whole. Source: DynamoDB Developer Guide, half a unit for each 4 KB of a scan. */
export const readUnitsOf = ({ sizeBytes }: Reading['table']): number => Math.ceil(sizeBytes / 8192);

/** The cost of deleting the items that were expired before the table was adopted. */
export interface ExpiredBefore {
  readonly count: number;
  /** It was not counted: the sample was taken for the whole. */
  readonly isEstimate: boolean;
  /** Epoch seconds. */
  readonly oldest: number | undefined;
  readonly seconds: number;
  /** Undefined for a provisioned table. */
  readonly dollars: number | undefined;
}

export function expiredBefore(
  { look, cost }: AdoptionPlan,
  { table }: Pick<Reading, 'table'>,
  deletesPerSecond: number,
): ExpiredBefore {
  const items = look.complete
    ? look.expired
    : Math.round((Math.max(table.itemCount, look.items) * look.expired) / Math.max(1, look.items));
  const readUnits = readUnitsOf(table);
  return {
    count: items,
    isEstimate: !look.complete,
    oldest: look.oldest,
    seconds: Math.max(items / deletesPerSecond, readUnits / sparingRate(table)),
    dollars:
      table.billing === 'on-demand'
        ? items * cost.deleteUnits * PRICES.dynamoDbWriteUnits + readUnits * PRICES.dynamoDbReadUnits
        : undefined,
  };
}
