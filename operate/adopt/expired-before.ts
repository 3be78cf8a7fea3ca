import { PRICES } from '../../cost/prices.ts';
import type { AdoptionPlan } from './plan.ts';
import type { Reading } from './reading.ts';
import { sparingRate } from './ttl-look.ts';

/** Delete rate that the question suggests: a twentieth of the 4,000 write units a second of a new on-demand table. */
export const DELETES_PER_SECOND = 200;

/** Read units for a scan of the whole table. Source: DynamoDB Developer Guide, half a unit for each 4 KB of a scan. */
export const readUnitsOf = ({ sizeBytes }: Reading['table']): number => Math.ceil(sizeBytes / 8192);

/** Number and cost of the deletes for items that expired before the adoption. */
export interface ExpiredBefore {
  readonly count: number;
  /** The number is estimated from a sample. */
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
