/** Dollars for a unit per second for an hour, in us-east-1. https://aws.amazon.com/dynamodb/pricing/provisioned/ */
export const PROVISIONED_PRICES = { writeUnitHours: 0.00065, readUnitHours: 0.00013 } as const;

/** Hours of an average month, as in AWS's calculator. */
const HOURS_PER_MONTH = 730;

/** Dollars per month for fully provisioned throughput. @param throughput units per second */
export function provisionedMonth(throughput: {
  readonly readUnits: number;
  readonly writeUnits: number;
}): number {
  const { readUnitHours, writeUnitHours } = PROVISIONED_PRICES;
  return HOURS_PER_MONTH * (throughput.readUnits * readUnitHours + throughput.writeUnits * writeUnitHours);
}
